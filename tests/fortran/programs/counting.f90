! A tool in Fortran: takes the place of mpi_send.
subroutine mpi_send(buf, n, type, dest, tag, comm, ierr)
  implicit none
  integer :: buf(*), n, type, dest, tag, comm, ierr
  print '(a)', 'Fortran saw a send'
  call pmpi_send(buf, n, type, dest, tag, comm, ierr)
end subroutine
