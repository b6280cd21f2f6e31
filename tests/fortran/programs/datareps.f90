! A data representation of files whose functions are procedures: integers are stored negated.
module negation
  use mpi_f08
  use iso_c_binding
  implicit none
contains
  subroutine negate(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer, pointer :: memory(:), file(:)
    call c_f_pointer(userbuf, memory, [count])
    call c_f_pointer(filebuf, file, [count])
    ierror = MPI_SUCCESS
    if (datatype /= MPI_INTEGER .or. position /= 0 .or. extra_state /= 42) ierror = MPI_ERR_OTHER
    file = -memory
  end subroutine
  subroutine extent_of(datatype, extent, extra_state, ierror)
    type(MPI_Datatype) :: datatype
    integer(MPI_ADDRESS_KIND) :: extent, extra_state
    integer :: ierror
    extent = 4
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, datatype == MPI_INTEGER .and. extra_state == 42)
  end subroutine
end module

program datareps
  use negation
  implicit none
  integer :: rank, ranks, errors, all, got(3)
  type(MPI_File) :: file
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  errors = 0
  ! It converts what is written alone.
  call MPI_Register_datarep('negated', MPI_CONVERSION_FN_NULL, negate, extent_of, 42_MPI_ADDRESS_KIND)
  call MPI_File_open(MPI_COMM_WORLD, 'datareps.data', MPI_MODE_RDWR + MPI_MODE_CREATE + MPI_MODE_DELETE_ON_CLOSE, &
    MPI_INFO_NULL, file)
  call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'negated', MPI_INFO_NULL)
  call MPI_File_write_at_all(file, int(3*rank, MPI_OFFSET_KIND), [rank, 5, -7], 3, MPI_INTEGER, MPI_STATUS_IGNORE)
  call MPI_File_read_at_all(file, int(3*rank, MPI_OFFSET_KIND), got, 3, MPI_INTEGER, MPI_STATUS_IGNORE)
  if (any(got /= [-rank, -5, 7])) errors = errors + 1
  call MPI_File_close(file)
  call MPI_Reduce(errors, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(i0,a,i0,a)', ranks, ' ranks, ', all, ' errors'
  call MPI_Finalize()
end program
