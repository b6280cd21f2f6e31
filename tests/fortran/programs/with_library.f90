program with_library
  use mpi
  implicit none
  integer :: value, rank, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  value = 1
  call add_up(value)
  call add_into(MPI_IN_PLACE, value)
  if (rank == 0) print '(a,i0)', 'sum ', value
  call MPI_Finalize(ierr)
end program
