! A tool in Fortran: takes the place of a specific procedure of mpi_f08.
subroutine MPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror)
  use mpi_f08, only : MPI_Comm, MPI_Datatype, PMPI_Send
  implicit none
  type(*), dimension(..), intent(in) :: buf
  integer, intent(in) :: count, dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  print '(a,i0,a)', 'Fortran sees an array of rank ', rank(buf), ''
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine
