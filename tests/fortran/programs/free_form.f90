! mpif.h in free form, files of each rank's own unit 10, and STOP.
program free_form
  implicit none
  include 'mpif.h'
  integer :: rank, ierr, back
  character(20) :: name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  write (name, '(a,i0)') 'own_unit_', rank
  open (10, file=name)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  write (10, *) rank
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  rewind (10)
  read (10, *) back
  close (10, status='delete')
  call MPI_Finalize(ierr)
  if (back /= rank) stop 1
  stop 3
end program
