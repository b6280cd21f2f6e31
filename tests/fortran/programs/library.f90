! A shared library with its own copy of the wrappers. Its sentinels and those of the program are the same.
subroutine add_up(value)
  use mpi
  implicit none
  integer :: value, ierr
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
end subroutine
subroutine add_into(from, to)
  use mpi
  implicit none
  integer :: from, to, ierr
  call MPI_Allreduce(from, to, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
end subroutine
