! Attributes between the languages (MPI 5.0, 19.3.7): each sets, each gets, before and after a duplication.
module of_f90
  use mpi
  implicit none
  integer :: deleted = 0
contains
  subroutine f90_set(kind, handle, keyval, value)
    integer :: kind, handle, keyval, ierr
    integer(MPI_ADDRESS_KIND) :: value
    if (kind == 0) call MPI_Comm_set_attr(handle, keyval, value, ierr)
    if (kind == 1) call MPI_Type_set_attr(handle, keyval, value, ierr)
  end subroutine
  integer(MPI_ADDRESS_KIND) function f90_get(kind, handle, keyval)
    integer :: kind, handle, keyval, ierr
    logical :: flag
    if (kind == 0) call MPI_Comm_get_attr(handle, keyval, f90_get, flag, ierr)
    if (kind == 1) call MPI_Type_get_attr(handle, keyval, f90_get, flag, ierr)
    if (.not. flag) f90_get = 0
  end function
  ! One more than before, in the copy.
  subroutine copy(handle, keyval, extra, in, out, flag, ierr)
    integer :: handle, keyval, ierr
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = in + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
  subroutine delete(handle, keyval, value, extra, ierr)
    integer :: handle, keyval, ierr
    integer(MPI_ADDRESS_KIND) :: value, extra
    if (extra == 1) deleted = deleted + 1
    ierr = MPI_SUCCESS
  end subroutine
end module

module of_f08
  use mpi_f08
  implicit none
contains
  subroutine f08_set(kind, handle, keyval, value)
    integer :: kind, handle, keyval
    integer(MPI_ADDRESS_KIND) :: value
    if (kind == 0) call MPI_Comm_set_attr(MPI_Comm(handle), keyval, value)
    if (kind == 1) call MPI_Type_set_attr(MPI_Datatype(handle), keyval, value)
  end subroutine
  integer(MPI_ADDRESS_KIND) function f08_get(kind, handle, keyval)
    integer :: kind, handle, keyval
    logical :: flag
    if (kind == 0) call MPI_Comm_get_attr(MPI_Comm(handle), keyval, f08_get, flag)
    if (kind == 1) call MPI_Type_get_attr(MPI_Datatype(handle), keyval, f08_get, flag)
    if (.not. flag) f08_get = 0
  end function
end module

program attributes
  use mpi
  use of_f90, only : f90_set, f90_get, copy, delete, deleted
  use of_f08, only : f08_set, f08_get
  implicit none
  integer, parameter :: by_c = 1, by_f77 = 2, by_f90 = 3, by_f08 = 4
  integer :: rank, size, ierr, errors = 0, all, kind, setter, i
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  do kind = 0, 1
    do setter = by_c, by_f08
      if (kind == 0 .or. setter /= by_f77) call duplicate(kind, setter)
    end do
  end do
  do i = 1, 100     ! cells come and go
    call with_callbacks_of_c()
    call with_callbacks_of_fortran()
  end do
  call predefined()
  call MPI_Reduce(errors, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(i0,a,i0,a)', size, ' ranks, ', all, ' errors'
  call MPI_Finalize(ierr)

contains

  subroutine check(holds, line)
    logical, intent(in) :: holds
    integer, intent(in) :: line
    if (holds) return
    errors = errors + 1
    print '(a,i0,a,i0)', 'rank ', rank, ': wrong at line ', line
  end subroutine

  ! The value that a setter sets, and the integer that Fortran then gets.
  integer(MPI_ADDRESS_KIND) function value_of(setter)
    integer, intent(in) :: setter
    value_of = -7
    if (setter == by_f90) value_of = 2_MPI_ADDRESS_KIND**40 + 5
    if (setter == by_f08) value_of = -2_MPI_ADDRESS_KIND**50
    if (setter == by_c) call c_address(value_of)
  end function

  subroutine judge(kind, setter, handle, keyval)
    integer, intent(in) :: kind, setter, handle, keyval
    integer :: found, short
    logical :: flag
    integer(MPI_ADDRESS_KIND) :: expected
    expected = value_of(setter)
    if (setter == by_c) then
      call c_finds_own(kind, handle, keyval, found)
    else if (setter == by_f77) then
      call c_finds_integer(kind, handle, keyval, int(expected), found)
    else
      call c_finds_address(kind, handle, keyval, expected, found)
    end if
    call check(found == 1, __LINE__)
    call check(f90_get(kind, handle, keyval) == expected, __LINE__)
    call check(f08_get(kind, handle, keyval) == expected, __LINE__)
    if (kind == 1) return
    call MPI_Attr_get(handle, keyval, short, flag, ierr)
    call check(flag .and. short == transfer(expected, short), __LINE__)
  end subroutine

  subroutine duplicate(kind, setter)
    integer, intent(in) :: kind, setter
    integer :: keyval, first, second
    if (kind == 0) then
      call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND, ierr)
      call MPI_Comm_dup(MPI_COMM_SELF, first, ierr)
    else
      call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND, ierr)
      call MPI_Type_dup(MPI_INTEGER, first, ierr)
    end if
    if (setter == by_c) call c_set(kind, first, keyval)
    if (setter == by_f77) call MPI_Attr_put(first, keyval, int(value_of(setter)), ierr)
    if (setter == by_f90) call f90_set(kind, first, keyval, value_of(setter))
    if (setter == by_f08) call f08_set(kind, first, keyval, value_of(setter))
    call judge(kind, setter, first, keyval)
    if (kind == 0) then
      call MPI_Comm_dup(first, second, ierr)
      call MPI_Comm_free(first, ierr)
    else
      call MPI_Type_dup(first, second, ierr)
      call MPI_Type_free(first, ierr)
    end if
    call judge(kind, setter, second, keyval)
    call f90_set(kind, second, keyval, value_of(by_f90))   ! in the place of the other
    call judge(kind, by_f90, second, keyval)
    call c_set(kind, second, keyval)
    call judge(kind, by_c, second, keyval)
    if (kind == 0) call MPI_Comm_free(second, ierr)
    if (kind == 1) call MPI_Type_free(second, ierr)
    if (kind == 0) call MPI_Comm_free_keyval(keyval, ierr)
    if (kind == 1) call MPI_Type_free_keyval(keyval, ierr)
  end subroutine

  ! They see Fortran's integer by its address; the copy is C's.
  subroutine with_callbacks_of_c()
    integer :: keyval, first, second, before, after
    integer(MPI_ADDRESS_KIND) :: expected
    integer(MPI_ADDRESS_KIND), save :: extra = 2_MPI_ADDRESS_KIND**33
    call c_create_keyval(keyval, extra)
    call c_deletes(before)
    call MPI_Comm_dup(MPI_COMM_SELF, first, ierr)
    call f90_set(0, first, keyval, extra)
    call MPI_Comm_dup(first, second, ierr)
    call c_copied_address(expected)
    call check(f90_get(0, second, keyval) == expected, __LINE__)
    call MPI_Comm_free(first, ierr)
    call MPI_Comm_free(second, ierr)
    call c_deletes(after)
    call check(after - before == 2, __LINE__)
    call MPI_Comm_free_keyval(keyval, ierr)
  end subroutine

  ! They see C's pointer as an integer; the copy is Fortran's.
  subroutine with_callbacks_of_fortran()
    integer :: keyval, first, second, third, found
    deleted = 0
    call MPI_Comm_create_keyval(copy, delete, keyval, 1_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_dup(MPI_COMM_SELF, first, ierr)
    call c_set(0, first, keyval)
    call MPI_Comm_dup(first, second, ierr)
    call c_finds_own(0, first, keyval, found)
    call check(found == 1, __LINE__)
    call c_finds_address(0, second, keyval, value_of(by_c) + 1, found)
    call check(found == 1, __LINE__)
    call MPI_Comm_dup(second, third, ierr)
    call check(f08_get(0, third, keyval) == value_of(by_c) + 2, __LINE__)
    call MPI_Comm_free_keyval(keyval, ierr)
    call MPI_Comm_free(first, ierr)
    call MPI_Comm_free(second, ierr)
    call MPI_Comm_free(third, ierr)
    call check(deleted == 3, __LINE__)
  end subroutine

  subroutine predefined()
    integer :: short, found
    integer(MPI_ADDRESS_KIND) :: bound, number
    logical :: flag
    integer, parameter :: keyvals(4) = [MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL]
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, bound, flag, ierr)
    call check(flag .and. bound == huge(1), __LINE__)
    do i = 1, 4
      call MPI_Comm_get_attr(MPI_COMM_WORLD, keyvals(i), number, flag, ierr)
      call c_finds_integer(0, MPI_COMM_WORLD, keyvals(i), int(number), found)
      call MPI_Attr_get(MPI_COMM_WORLD, keyvals(i), short, flag, ierr)
      call check(flag .and. found == 1 .and. short == number, __LINE__)
    end do
  end subroutine
end program
