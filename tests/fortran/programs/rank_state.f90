! What a process has for itself, a rank has: it checks this while other ranks do the same, and counts what is wrong.
module state_module
  implicit none
  integer :: in_module = 5
  integer, save :: counted = 0
contains
  integer function calls()
    integer, save :: count = 0
    count = count + 1
    calls = count
  end function
end module

block data
  integer :: in_block(3)
  common /numbers/ in_block
  data in_block /1, 2, 3/
end block data

program rank_state
  use mpi
  use, intrinsic :: ieee_arithmetic
  use state_module
  implicit none
  integer :: in_block(3)
  common /numbers/ in_block
  integer :: rank, ranks, errors = 0, all_errors, ierr, i, back, unit, status
  integer :: changed = 7
  character(30) :: name, text
  real :: x = 0
  logical :: right
  namelist /setting/ changed, x

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  write (name, '(a,i0)') 'rank_state_', rank

  call variables
  call formatted_file
  call other_files
  call namelists
  call seeds
  call arguments
  call rounding
  call internal_operation(rank, ranks, right)
  call check(right, __LINE__)

  call MPI_Reduce(errors, all_errors, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) write (6, '(i0,a,i0,a)') ranks, ' ranks, ', all_errors, ' errors'
  call MPI_Finalize(ierr)

contains

  subroutine check(right, line)
    logical, intent(in) :: right
    integer, intent(in) :: line
    if (right) return
    errors = errors + 1
    write (0, '(a,i0,a,i0)') 'rank ', rank, ': wrong in line ', line
  end subroutine

  ! Others run meanwhile.
  subroutine meet
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine variables
    call check(in_module == 5 .and. all(in_block == [1, 2, 3]) .and. counted == 0 .and. changed == 7, __LINE__)
    call meet
    in_module = rank
    in_block = rank
    counted = -rank
    do i = 1, rank + 1
      back = calls()
    end do
    call meet
    call check(in_module == rank .and. all(in_block == rank) .and. counted == -rank .and. back == rank + 1, __LINE__)
  end subroutine

  subroutine formatted_file
    open (10, file=name)
    call meet
    write (10, '(i0,a)') rank, ' first'
    call meet
    write (10, '(i0,a)') rank, ' second'
    rewind (10)
    read (10, *) back, text
    call check(back == rank .and. text == 'first', __LINE__)
    call meet
    read (10, *) back, text
    call check(back == rank .and. text == 'second', __LINE__)
    read (10, *, iostat=status) back
    call check(is_iostat_end(status), __LINE__)
    close (10, status='delete')
  end subroutine

  subroutine other_files
    character(5) :: record
    logical :: opened
    integer :: bytes(2)
    open (11, status='scratch', form='unformatted')
    open (newunit=unit, file=name, access='direct', form='formatted', recl=5)
    open (12, file=trim(name)//'_stream', access='stream', form='unformatted')
    call meet
    write (11) rank, 2*rank
    write (unit, '(i5)', rec=3) rank
    write (unit, '(i5)', rec=1) -rank
    write (12) rank
    write (12, pos=9) rank + 1
    call meet
    rewind (11)
    read (11) back, i
    call check(back == rank .and. i == 2*rank, __LINE__)
    read (unit, '(a)', rec=3) record
    read (record, *) back
    call check(back == rank, __LINE__)
    read (12, pos=1) bytes(1)
    read (12, pos=9) bytes(2)
    call check(all(bytes == [rank, rank + 1]), __LINE__)
    inquire (13, opened=opened)
    call check(.not. opened, __LINE__)
    close (11)
    close (12, status='delete')
    close (unit, status='delete')
    inquire (file=name, exist=opened)
    call check(.not. opened, __LINE__)
  end subroutine

  subroutine namelists
    open (14, file=name)
    changed = 3*rank
    x = 0.5*rank
    call meet
    write (14, setting)
    changed = 0
    x = -1
    call meet
    rewind (14)
    read (14, setting)
    call check(changed == 3*rank .and. x == 0.5*rank, __LINE__)
    close (14, status='delete')
    text = '&setting changed=9 /'
    read (text, setting)
    call check(changed == 9 .and. x == 0.5*rank, __LINE__)
  end subroutine

  ! A rank's numbers go on where they were, whatever the others have drawn; and each rank seeds its own.
  subroutine seeds
    integer :: n
    integer, allocatable :: seed(:)
    real :: once(20), again(20)
    call random_seed(size=n)
    allocate (seed(n))
    seed = [(1000*rank + 7*i, i=1, n)]
    call random_seed(put=seed)
    do i = 1, 20
      call random_number(once(i))
      if (mod(i, 5) == 0) call meet
    end do
    call random_seed(put=seed)
    call random_number(again)
    call check(all(once == again), __LINE__)
    call MPI_Bcast(again, 20, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
    call check(rank == 0 .or. any(once /= again), __LINE__)
  end subroutine

  subroutine arguments
    call check(command_argument_count() == 2, __LINE__)
    call get_command_argument(1, text)
    call check(text == 'one', __LINE__)
    call get_command_argument(2, text, length=back)
    call check(text == 'and two' .and. back == 7, __LINE__)
    call get_command_argument(0, text)
    call check(index(text, 'rank_state') > 0, __LINE__)
    call get_environment_variable('RANK_STATE', text, status=status)
    call check(status == 0 .and. text == 'as asked', __LINE__)
    call get_environment_variable('NO_SUCH_VARIABLE', text, status=status)
    call check(status == 1, __LINE__)
  end subroutine

  subroutine rounding
    type(ieee_round_type) :: mode
    logical :: raised
    real(8), volatile :: third, three, zero
    real(8), parameter :: below = 1d0/3  ! the nearest number is less than a third
    three = 3
    zero = 0
    if (mod(rank, 2) == 0) call ieee_set_rounding_mode(ieee_up)
    call meet
    third = 1/three
    call meet
    call ieee_get_rounding_mode(mode)
    call check((mode == ieee_up) .eqv. mod(rank, 2) == 0, __LINE__)
    call check((third > below) .eqv. mod(rank, 2) == 0, __LINE__)
    call ieee_set_rounding_mode(ieee_nearest)
    call ieee_set_flag(ieee_all, .false.)
    call meet
    if (mod(rank, 2) == 1) third = 1/zero
    call meet
    call ieee_get_flag(ieee_divide_by_zero, raised)
    call check(raised .eqv. mod(rank, 2) == 1, __LINE__)
    call ieee_set_flag(ieee_all, .false.)  ! else STOP would tell of it
  end subroutine
end program

! It uses variables of its host, so its address is that of code on the stack, unless the compiler is clever.
subroutine internal_operation(rank, ranks, right)
  use mpi
  implicit none
  integer, intent(in) :: rank, ranks
  logical, intent(out) :: right
  integer :: op, mine, total, called, ierr
  called = 0
  mine = rank + 1
  call MPI_Op_create(add, .true., op, ierr)
  call MPI_Allreduce(mine, total, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call MPI_Op_free(op, ierr)
  right = total == ranks*(ranks + 1)/2
  call MPI_Allreduce(called, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  right = right .and. (total > 0 .eqv. ranks > 1)
contains
  subroutine add(in, inout, n, datatype)
    integer :: n, datatype
    integer :: in(n), inout(n)
    called = called + 1
    if (datatype == MPI_INTEGER) inout = inout + in
  end subroutine
end subroutine
