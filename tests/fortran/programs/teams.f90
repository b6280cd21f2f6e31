! Teams of OpenMP: each thread has its own threadprivate variables, in each rank, and sends to its like in the next rank.
module teams_module
  implicit none
  integer, save :: mine = -1, calls = 0
  !$omp threadprivate(mine, calls)
end module

program teams
  use mpi
  use omp_lib
  use teams_module
  implicit none
  integer, parameter :: threads = 3
  integer :: rank, ranks, provided, errors = 0, all_errors, total, i, ierr, next, before
  integer :: common_one
  common /threads_own/ common_one
  !$omp threadprivate(/threads_own/)
  real(8) :: sum

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (provided /= MPI_THREAD_MULTIPLE) errors = errors + 1
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  total = 0
  sum = 0
  !$omp parallel num_threads(threads) reduction(+:errors, total)
  mine = 100*rank + omp_get_thread_num()
  common_one = mine
  total = total + 1
  call exchange(errors)
  !$omp end parallel
  if (total /= threads) errors = errors + 1
  !$omp parallel num_threads(threads) reduction(+:errors)  ! the same threads as before
  if (mine /= 100*rank + omp_get_thread_num() .or. common_one /= mine .or. calls /= 10) errors = errors + 1
  !$omp end parallel
  !$omp parallel do num_threads(threads) reduction(+:sum) schedule(dynamic)
  do i = 1, 1000
    !$omp critical
    sum = sum + i
    !$omp end critical
  end do
  if (sum /= 500500) errors = errors + 1
  call MPI_Reduce(errors, all_errors, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(i0,a,i0,a)', ranks, ' ranks, ', all_errors, ' errors'
  call MPI_Finalize(ierr)

contains

  subroutine exchange(wrong)
    integer, intent(inout) :: wrong
    integer :: got, round, error, thread
    thread = omp_get_thread_num()
    do round = 1, 10
      calls = calls + 1
      call MPI_Sendrecv(mine, 1, MPI_INTEGER, next, thread, got, 1, MPI_INTEGER, before, thread, MPI_COMM_WORLD, &
                        MPI_STATUS_IGNORE, error)
      if (got /= 100*before + thread) wrong = wrong + 1
    end do
  end subroutine
end program
