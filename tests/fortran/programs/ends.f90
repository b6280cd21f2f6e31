! The last rank, or a program without MPI, ends in the way that its argument names. The others wait for it.
module ends_module
  implicit none
contains
  recursive integer function deep(n) result(sum)
    integer, intent(in) :: n
    integer :: frame(1000)
    frame = n
    sum = frame(1 + mod(n, 1000))
    if (n < 1000000) sum = sum + deep(n + 1) + frame(2)
  end function

  subroutine automatic(n)
    integer, intent(in) :: n
    real(8) :: values(n)
    values = n
    print *, sum(values)
  end subroutine
end module

program ends
#ifdef WITH_MPI
  use mpi
#endif
  use ends_module
  implicit none
  character(20) :: how
  integer :: last = 0, number = 0
  integer, pointer :: nowhere
  integer, allocatable :: few(:)
  real :: zero = 0, quotient
#ifdef WITH_MPI
  integer :: ranks, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, number, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  last = ranks - 1
#endif
  call get_command_argument(1, how)
  write (6, '(a,i0,a)') 'rank ', number, ' is here'
#ifdef WITH_MPI
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
#endif
  if (number == last) then
    write (6, '(a)') 'last words'
    allocate (few(3), source=0)
    select case (how)
    case ('stop')
      stop 3
    case ('stop_text')
      stop 'a reason'
    case ('error_stop')
      error stop 4
    case ('error_stop_text')
      error stop 'a reason'
    case ('exit')
      call exit(5)
    case ('abort')
      call abort
    case ('bounds')
      few(last + 4) = 1
      print *, few
    case ('trap')
      quotient = 1/zero
      print *, quotient
    case ('null')
      nullify (nowhere)
      nowhere = 1
    case ('twice')
      allocate (few(4))
    case ('end_of_file')
      read (5, *) last
    case ('no_file')
      open (10, file='there/is/no/such/file', status='old')
    case ('wrong_number')
      how = 'x'
      read (how, *) last
    case ('recursion')
      print *, deep(1)
    case ('automatic')
      call automatic(3000000)
    end select
  end if
#ifdef WITH_MPI
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
#endif
end program
