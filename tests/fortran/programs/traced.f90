! Sends a row of a matrix to itself with mpi_f08. Tools look on.
program traced
  use mpi_f08
  implicit none
  integer, asynchronous :: a(3, 1000), b(3, 1000)
  integer :: i
  type(MPI_Request) :: request
  call MPI_Init()
  a = reshape([(i, i=1, size(a))], shape(a))
  b = 0
  call MPI_Irecv(b(2, :), 1000, MPI_INTEGER, 0, 1, MPI_COMM_SELF, request)
  call MPI_Send(a(2, :), 1000, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (all(b(2, :) == a(2, :)) .and. all(b(1:3:2, :) == 0)) print '(a)', 'the row is right'
  call MPI_Finalize()
end program
