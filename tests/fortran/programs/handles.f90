! Module mpi_f08: typed handles, no ierror, large counts, statuses, callbacks, sentinels. Rank 0 tells the errors.
module sums
  use mpi_f08
  implicit none
  character, target :: room(10000)
contains
  subroutine add(a, b, len, type)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: a, b
    integer :: len
    type(MPI_Datatype) :: type
    integer, pointer :: from(:), to(:)
    call c_f_pointer(a, from, [len])
    call c_f_pointer(b, to, [len])
    if (type /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 4)
    to = to + from
  end subroutine
  subroutine add_c(a, b, len, type)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: a, b
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: type
    integer, pointer :: from(:), to(:)
    call c_f_pointer(a, from, [len])
    call c_f_pointer(b, to, [len])
    if (type /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 4)
    to = to + from
  end subroutine
end module

program handles
  use, intrinsic :: iso_c_binding, only : c_ptr, c_loc, c_associated
  use mpi_f08
  use sums
  implicit none
  integer :: rank, size, i, n, errors = 0, total, at, old(MPI_STATUS_SIZE)
  type(MPI_Request) :: request(40)
  type(MPI_Status) :: status, statuses(40)
  type(MPI_Comm) :: half
  type(MPI_Datatype) :: type
  type(MPI_Op) :: op
  type(MPI_Info) :: info
  type(c_ptr) :: attached
  integer(MPI_COUNT_KIND) :: big, lower, extent, bytes
  integer(MPI_ADDRESS_KIND) :: bound
  integer, asynchronous :: ring(20), got(20)
  character(MPI_MAX_LIBRARY_VERSION_STRING) :: version
  character(20) :: value
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  do i = 1, 20
    ring(i) = 100*rank + i
    call MPI_Isend(ring(i), 1, MPI_INTEGER, mod(rank + 1, size), i, MPI_COMM_WORLD, request(20 + i))
    call MPI_Irecv(got(i), 1_MPI_COUNT_KIND, MPI_INTEGER, modulo(rank - 1, size), i, MPI_COMM_WORLD, request(i))
  end do
  call MPI_Waitany(20, request, at, status)
  call check(at >= 1 .and. at <= 20 .and. status%MPI_TAG == at, __LINE__)
  call MPI_Get_count(status, MPI_INTEGER, big)
  call check(big == 1, __LINE__)
  call MPI_Status_f082f(status, old)
  call check(old(MPI_TAG) == at .and. old(MPI_SOURCE) == modulo(rank - 1, size), __LINE__)
  call MPI_Waitall(40, request, statuses)
  do i = 1, 20
    call check(got(i) == 100*modulo(rank - 1, size) + i, __LINE__)
    call check(i == at .or. statuses(i)%MPI_SOURCE == modulo(rank - 1, size), __LINE__)
    call check(request(i) == MPI_REQUEST_NULL, __LINE__)
  end do
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  call check(half /= MPI_COMM_NULL .and. half /= MPI_COMM_WORLD, __LINE__)
  n = 1
  call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, half)
  call check(n == (size + 1 - mod(rank, 2))/2, __LINE__)
  call MPI_Comm_free(half)
  big = 3
  call MPI_Type_contiguous(big, MPI_REAL, type)
  call MPI_Type_commit(type)
  call MPI_Type_get_extent(type, lower, extent)
  call check(extent == 12, __LINE__)
  call MPI_Type_size(type, n)
  call MPI_Type_size(type, bytes)
  call check(n == 12 .and. bytes == 12, __LINE__)
  call MPI_Type_free(type)
  call MPI_Op_create(add, .true., op)
  call MPI_Allreduce(rank, n, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
  call check(n == size*(size - 1)/2, __LINE__)
  call MPI_Op_free(op)
  call MPI_Op_create_c(add_c, .true., op)
  call MPI_Allreduce(rank, n, 1_MPI_COUNT_KIND, MPI_INTEGER, op, MPI_COMM_WORLD)
  call check(n == size*(size - 1)/2, __LINE__)
  call MPI_Op_free(op)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, bound, flag)
  call check(flag .and. bound >= 32767, __LINE__)
  call MPI_Info_create(info)
  call MPI_Info_set(info, ' key ', 'a value ')
  n = 20
  call MPI_Info_get_string(info, 'key', n, value, flag)
  call check(flag .and. value == 'a value' .and. n == 7, __LINE__)
  call MPI_Info_free(info)
  call MPI_Get_library_version(version, n)
  call check(version(1:6) == 'Heddle', __LINE__)
  call MPI_Buffer_attach(room, 10000)
  call MPI_Buffer_detach(attached, n)
  call check(c_associated(attached, c_loc(room)) .and. n == 10000, __LINE__)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, size), 1, n, 1, MPI_INTEGER, modulo(rank - 1, size), 1, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call check(n == modulo(rank - 1, size), __LINE__)
  call pending_sections()
  call MPI_Reduce(errors, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(i0,a,i0,a)', size, ' ranks, ', total, ' errors'
  call MPI_Finalize()

contains

  ! Rows of a matrix, in several requests at once. Those of row 1 are large.
  subroutine pending_sections()
    integer, parameter :: many = 20, length = 100000
    integer, asynchronous, allocatable :: a(:,:), b(:,:)
    integer :: j, row, indices(many), outcount
    type(MPI_Request) :: receives(many), sends(many)
    type(MPI_Status) :: told(many)
    logical :: seen(many), done
    allocate (a(many, length), b(many, length))
    do row = 1, many
      a(row, :) = [(rank + row*j, j=1, length)]
    end do
    b = -1
    do row = many, 1, -1
      n = merge(length, row, row == 1)
      call MPI_Irecv(b(row, n:1:-1), n, MPI_INTEGER, modulo(rank - 1, size), row, MPI_COMM_WORLD, receives(row))
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    do row = 1, many
      n = merge(length, row, row == 1)
      call MPI_Isend(a(row, 1:n), n, MPI_INTEGER, mod(rank + 1, size), row, MPI_COMM_WORLD, sends(row))
    end do
    call MPI_Request_free(sends(many))
    call MPI_Request_get_status(receives(2), done, status)
    if (done) call check(status%MPI_TAG == 2 .and. all(b(2, 1:2) /= -1), __LINE__)
    seen = .false.
    do i = 1, 5
      call MPI_Waitany(many, receives, at, status)
      call check(status%MPI_TAG == at .and. .not. seen(at), __LINE__)
      seen(at) = .true.
    end do
    do while (count(seen) < many)
      call MPI_Waitsome(many, receives, outcount, indices, told)
      do i = 1, outcount
        call MPI_Get_count(told(i), MPI_INTEGER, n)
        call check(.not. seen(indices(i)) .and. n == merge(length, indices(i), indices(i) == 1), __LINE__)
        seen(indices(i)) = .true.
      end do
    end do
    call MPI_Waitall(many, sends, MPI_STATUSES_IGNORE)
    do row = 1, many
      n = merge(length, row, row == 1)
      call check(all(b(row, n:1:-1) == [(modulo(rank - 1, size) + row*j, j=1, n)]), __LINE__)
      call check(all(b(row, n + 1:) == -1), __LINE__)
    end do
    ! What is no part of the message is the program's meanwhile.
    b = -1
    call MPI_Irecv(b(3, :), 3, MPI_INTEGER, 0, 1, MPI_COMM_SELF, receives(1))
    b(3, 50) = 99
    call MPI_Send(a(3, 1:3), 3, MPI_INTEGER, 0, 1, MPI_COMM_SELF)
    call MPI_Wait(receives(1), MPI_STATUS_IGNORE)
    call check(b(3, 50) == 99 .and. all(b(3, 1:3) == a(3, 1:3)) .and. all(b(3, 4:49) == -1), __LINE__)
  end subroutine

  subroutine check(holds, line)
    logical, intent(in) :: holds
    integer, intent(in) :: line
    if (holds) return
    errors = errors + 1
    print '(a,i0,a,i0)', 'rank ', rank, ': wrong at line ', line
  end subroutine
end program
