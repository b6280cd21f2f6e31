! A string swings: the wave equation in one dimension, the points dealt out to the ranks.
!
!   wave [POINTS [STEPS]]
!
! It begins as one half wave at rest and is back there after STEPS = 2 POINTS steps. Rank 0 prints the largest error.
program wave
  use mpi
  implicit none
  real(8), parameter :: pi = acos(-1d0)
  integer :: points = 1000, steps = 2000
  integer :: rank, ranks, first, last, left, right, step, i, ierr
  real(8), allocatable :: before(:), now(:), after(:)
  real(8) :: error, largest

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (command_argument_count() >= 1) points = argument(1)
  steps = 2*points
  if (command_argument_count() >= 2) steps = argument(2)
  ! Points 1 to points - 1 swing, 0 and points are fixed.
  first = 1 + int(int(points - 1, 8)*rank/ranks)
  last = int(int(points - 1, 8)*(rank + 1)/ranks)
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)

  allocate (before(first - 1:last + 1), now(first - 1:last + 1), after(first - 1:last + 1))
  do i = first - 1, last + 1
    now(i) = height(i, 0)
    before(i) = height(i, -1)
  end do
  do step = 1, steps
    do i = first, last
      after(i) = now(i - 1) + now(i + 1) - before(i)
    end do
    after(first - 1) = 0
    after(last + 1) = 0
    call exchange(after)
    before = now
    now = after
  end do

  error = 0
  do i = first, last
    error = max(error, abs(now(i) - height(i, steps)))
  end do
  call MPI_Reduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(i0,a,i0,a,i0,a,es8.1)', ranks, ' ranks, ', points, ' points, ', steps, ' steps, error ', largest
  call MPI_Finalize(ierr)

contains

  integer function argument(which)
    integer, intent(in) :: which
    character(20) :: text
    call get_command_argument(which, text)
    read (text, *) argument
  end function

  real(8) function height(point, step)
    integer, intent(in) :: point, step
    height = sin(pi*point/points)*cos(pi*step/points)
  end function

  ! Each rank gets the last point of its left neighbour and the first one of its right neighbour.
  subroutine exchange(u)
    real(8), intent(inout) :: u(first - 1:)
    call MPI_Sendrecv(u(last), 1, MPI_DOUBLE_PRECISION, right, 0, u(first - 1), 1, MPI_DOUBLE_PRECISION, left, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(u(first), 1, MPI_DOUBLE_PRECISION, left, 1, u(last + 1), 1, MPI_DOUBLE_PRECISION, right, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine
end program
