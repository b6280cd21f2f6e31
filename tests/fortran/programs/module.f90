! Module mpi: buffers of any type and rank, callbacks, attributes, strings, logicals, C_PTR. Rank 0 tells the errors.
module callbacks
  use mpi
  implicit none
  integer, save :: handled = 0
contains
  subroutine larger(a, b, n, type)
    integer :: n, type
    real(8) :: a(n), b(n)
    if (type /= MPI_DOUBLE_PRECISION) call MPI_Abort(MPI_COMM_WORLD, 3, n)
    where (abs(a) > abs(b)) b = a
  end subroutine
  subroutine copy(comm, keyval, extra, in, out, flag, ierr)
    integer :: comm, keyval, ierr
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = in + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
  subroutine on_error(comm, code)
    integer :: comm, code
    handled = handled + 1
  end subroutine
  subroutine query(extra, status, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierr
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierr)
    call MPI_Status_set_cancelled(status, .false., ierr)
  end subroutine
  subroutine no_more(extra, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierr
    ierr = MPI_SUCCESS
  end subroutine
  subroutine no_cancel(extra, complete, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierr
    ierr = MPI_SUCCESS
  end subroutine
end module

program everything
  use, intrinsic :: iso_c_binding
  use mpi
  use callbacks
  implicit none
  integer :: rank, size, ierr, errors = 0, all
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call buffers()
  call attributes()
  call strings()
  call requests()
  call topology()
  call memory()
  call described()
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

  subroutine buffers()
    integer :: op, i, n, types(0:size - 1), counts(0:size - 1), places(0:size - 1), to(0:size - 1), from(0:size - 1)
    real(8) :: x(3), y(3), scalar
    complex :: z(2, 2)
    character(5) :: word
    call MPI_Op_create(larger, .true., op, ierr)
    x = [1d0*rank, -2d0*rank, 3d0]
    call MPI_Allreduce(x, y, 3, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    call check(all_equal(y, [size - 1d0, -2d0*(size - 1), 3d0]), __LINE__)
    call MPI_Op_free(op, ierr)
    call check(op == MPI_OP_NULL, __LINE__)
    scalar = rank
    call MPI_Bcast(scalar, 1, MPI_DOUBLE_PRECISION, size - 1, MPI_COMM_WORLD, ierr)
    call check(scalar == size - 1, __LINE__)
    z = rank
    call MPI_Bcast(z, 4, MPI_COMPLEX, 0, MPI_COMM_WORLD, ierr)
    call check(count(z /= 0) == 0, __LINE__)
    word = 'wrong'
    if (rank == 0) word = 'right'
    call MPI_Bcast(word, 5, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
    call check(word == 'right', __LINE__)
    ! The length of the array of types is the communicator's.
    types = MPI_INTEGER
    counts = 1
    places = [(4*i, i=0, size - 1)]
    to = [(rank*1000 + i, i=0, size - 1)]
    call MPI_Alltoallw(to, counts, places, types, from, counts, places, types, MPI_COMM_WORLD, ierr)
    call check(count(from /= [(i*1000 + rank, i=0, size - 1)]) == 0, __LINE__)
    call MPI_Sizeof(z, n, ierr)
    call check(n == 8, __LINE__)
  end subroutine

  logical function all_equal(a, b)
    real(8), intent(in) :: a(:), b(:)
    all_equal = count(a /= b) == 0
  end function

  subroutine attributes()
    integer :: keyval, dup
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, keyval, 100_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 5_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
    call MPI_Comm_get_attr(dup, keyval, value, flag, ierr)
    call check(flag .and. value == 105, __LINE__)
    call MPI_Comm_free(dup, ierr)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, -7_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
    call MPI_Comm_get_attr(dup, keyval, value, flag, ierr)
    call check(.not. flag, __LINE__)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag, ierr)
    call check(flag .and. value == -7, __LINE__)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call check(flag .and. value >= 32767, __LINE__)
    call MPI_Comm_free(dup, ierr)
  end subroutine

  subroutine strings()
    integer :: dup, n, handler, class, info, old(MPI_STATUS_SIZE)
    type(MPI_Comm) :: typed
    type(MPI_Status) :: status
    character(MPI_MAX_OBJECT_NAME) :: name
    character(12) :: value
    character(3) :: short
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_SELF, dup, ierr)
    typed = MPI_Comm(dup)      ! mpi_f08's types, for those who mix both
    call check(typed == MPI_Comm(dup) .and. typed /= MPI_Comm(MPI_COMM_NULL), __LINE__)
    old = 7
    call MPI_Status_f2f08(old, status, ierr)
    old = 0
    call MPI_Status_f082f(status, old, ierr)
    call check(status%MPI_TAG == 7 .and. old(MPI_TAG) == 7, __LINE__)
    call MPI_Comm_set_name(dup, '  a name  ', ierr)
    call MPI_Comm_get_name(dup, name, n, ierr)
    call check(name == '  a name' .and. n == 8, __LINE__)
    call MPI_Comm_create_errhandler(on_error, handler, ierr)
    call MPI_Comm_set_errhandler(dup, handler, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Send(n, 1, MPI_INTEGER, 5, 0, dup, ierr)
    call MPI_Error_class(ierr, class, n)
    call check(class == MPI_ERR_RANK .and. handled == 1, __LINE__)
    call MPI_Comm_free(dup, ierr)
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, ' key ', ' value ', ierr)
    n = len(value)
    call MPI_Info_get_string(info, 'key', n, value, flag, ierr)
    call check(flag .and. value == 'value' .and. n == 5, __LINE__)
    n = len(short)
    call MPI_Info_get_string(info, 'key', n, short, flag, ierr)
    call check(flag .and. short == 'val' .and. n == 5, __LINE__)
    call MPI_Info_get(info, 'key', len(value), value, flag, ierr)
    call check(flag .and. value == 'value', __LINE__)
    call MPI_Info_get(info, 'other', len(value), value, flag, ierr)
    call check(.not. flag, __LINE__)
    call MPI_Info_free(info, ierr)
  end subroutine

  subroutine requests()
    integer, parameter :: many = 100   ! more than a wrapper has room for on its stack
    integer :: request(2*many), received(many), i, done, open, n, indices(2*many), statuses(MPI_STATUS_SIZE, 2*many)
    integer :: status(MPI_STATUS_SIZE), generalized
    integer(MPI_ADDRESS_KIND), save :: extra = 3
    logical :: seen(2*many)
    do i = 1, many
      call MPI_Irecv(received(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, i, MPI_COMM_SELF, request(i), ierr)
    end do
    do i = 1, many
      call MPI_Isend([i*i], 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, request(many + i), ierr)
    end do
    open = 2*many
    seen = .false.
    do while (open > 0)
      call MPI_Waitsome(2*many, request, done, indices, statuses, ierr)
      do i = 1, done
        call check(.not. seen(indices(i)), __LINE__)
        seen(indices(i)) = .true.
        if (indices(i) <= many) call check(statuses(MPI_TAG, i) == indices(i), __LINE__)
      end do
      open = open - done
    end do
    call check(count(received /= [(i*i, i=1, many)]) == 0, __LINE__)
    call MPI_Waitsome(2*many, request, done, indices, MPI_STATUSES_IGNORE, ierr)
    call check(done == MPI_UNDEFINED, __LINE__)
    call MPI_Grequest_start(query, no_more, no_cancel, extra, generalized, ierr)
    call MPI_Grequest_complete(generalized, ierr)
    call MPI_Wait(generalized, status, ierr)
    call MPI_Get_elements(status, MPI_INTEGER, n, ierr)
    call check(n == 3 .and. generalized == MPI_REQUEST_NULL, __LINE__)
  end subroutine

  subroutine topology()
    integer :: cart, dims(2), coords(2), graph, index(2), edges(2), n
    integer :: sources(1), targets(1), weights(1)
    logical :: periods(2), weighted
    dims = 0
    call MPI_Dims_create(size, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., cart, ierr)
    call MPI_Cart_get(cart, 2, dims, periods, coords, ierr)
    call check(periods(1) .and. .not. periods(2), __LINE__)
    call MPI_Comm_free(cart, ierr)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [modulo(rank - 1, size)], MPI_UNWEIGHTED, 1, &
                                        [modulo(rank + 1, size)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierr)
    call MPI_Dist_graph_neighbors_count(graph, n, n, weighted, ierr)
    call check(n == 1 .and. .not. weighted, __LINE__)
    call MPI_Dist_graph_neighbors(graph, 1, sources, weights, 1, targets, weights, ierr)
    call check(sources(1) == modulo(rank - 1, size) .and. targets(1) == modulo(rank + 1, size), __LINE__)
    call MPI_Comm_free(graph, ierr)
    ! The index of a graph is no index of a request.
    call MPI_Graph_create(MPI_COMM_SELF, 1, [1], [0], .false., graph, ierr)
    call MPI_Graph_get(graph, 1, 1, index, edges, ierr)
    call check(index(1) == 1 .and. edges(1) == 0, __LINE__)
    call MPI_Comm_free(graph, ierr)
  end subroutine

  ! What C's libraries ask for.
  subroutine described()
    character(*), parameter :: keys(6) = [character(32) :: 'mpi_integer_size', 'mpi_double_precision_size', &
      'mpi_logical1_supported', 'mpi_real16_supported', 'mpi_real2_supported', 'mpi_complex32_supported']
    character(*), parameter :: values(6) = [character(8) :: '4', '8', 'true', 'true', 'false', 'true']
    character(8) :: value
    integer :: info, i, n
    logical :: yes, no, flag
    yes = .false.
    no = .true.
    call MPI_Abi_get_fortran_booleans(storage_size(yes)/8, yes, no, flag, ierr)
    call check(flag .and. yes .and. .not. no, __LINE__)
    call MPI_Abi_get_fortran_info(info, ierr)
    do i = 1, 6
      n = len(value)
      call MPI_Info_get_string(info, keys(i), n, value, flag, ierr)
      call check(flag .and. value == values(i), __LINE__)
    end do
    call MPI_Info_free(info, ierr)
  end subroutine

  subroutine memory()
    type(c_ptr) :: block
    real, pointer :: numbers(:)
    integer(MPI_ADDRESS_KIND) :: bytes = 400
    call MPI_Alloc_mem(bytes, MPI_INFO_NULL, block, ierr)
    call c_f_pointer(block, numbers, [100])
    numbers = rank
    call check(sum(numbers) == 100.0*rank, __LINE__)
    call MPI_Free_mem(numbers, ierr)
  end subroutine
end program
