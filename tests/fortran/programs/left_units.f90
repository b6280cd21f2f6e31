! What units hold at the end appears in their files, also if threads of the rank go on.
program left_units
  use mpi
  implicit none
  integer :: rank, ierr
  integer, external :: told
  character(20) :: name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call leave_thread
  write (name, '(a,i0)') 'left_unit_', rank
  open (10, file=name)
  write (10, '(a,i0)') 'unit 10 of rank ', rank
  write (6, '(a,i0)') 'unit 6 of rank ', told(rank)/2
  call MPI_Finalize(ierr)
  if (rank == 1) stop
end program
