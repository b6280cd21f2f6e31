! `calls WHAT N`, with one rank, by the interface that the compiler is told: -DMPIF_H, -DMPI, -DMPI_F08. calls.c has the same calls.
#ifdef MPI_F08
#define HANDLE(kind) type(kind)
#define STATUS_OF(n) type(MPI_Status) :: status, statuses(n)
#else
#define HANDLE(kind) integer
#define STATUS_OF(n) integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, n)
#endif
program calls
#ifdef MPI_F08
  use mpi_f08
#endif
#ifdef MPI
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  HANDLE(MPI_Comm) :: own
  HANDLE(MPI_Request) :: request, requests(8)
  STATUS_OF(8)
  integer, asynchronous :: a(4), b(4)
  integer :: n, times, i, k, ierr
  logical :: flag
  character(32) :: what, number
  call get_command_argument(1, what)
  call get_command_argument(2, number)
  read (number, *) times
  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, own, ierr)
  a = [1, 2, 3, 4]
  select case (what)
  case ('rank')
    do i = 1, times
      call MPI_Comm_rank(MPI_COMM_WORLD, n, ierr)
    end do
  case ('rank_of_own')
    do i = 1, times
      call MPI_Comm_rank(own, n, ierr)
    end do
  case ('type_size')
    do i = 1, times
      call MPI_Type_size(MPI_INTEGER, n, ierr)
    end do
  case ('barrier')
    do i = 1, times
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end do
  case ('iprobe')
    do i = 1, times
      call MPI_Iprobe(0, 5, MPI_COMM_WORLD, flag, status, ierr)
    end do
  case ('iprobe_of_own')
    do i = 1, times
      call MPI_Iprobe(0, 5, own, flag, status, ierr)
    end do
  case ('allreduce')
    do i = 1, times
      call MPI_Allreduce(a, b, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
  case ('allreduce_of_own')
    do i = 1, times
      call MPI_Allreduce(a, b, 4, MPI_INTEGER, MPI_SUM, own, ierr)
    end do
  case ('sendrecv')
    do i = 1, times
      call MPI_Sendrecv(a, 4, MPI_INTEGER, 0, 5, b, 4, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, status, ierr)
    end do
  case ('sendrecv_of_own')
    do i = 1, times
      call MPI_Sendrecv(a, 4, MPI_INTEGER, 0, 5, b, 4, MPI_INTEGER, 0, 5, own, status, ierr)
    end do
  case ('irecv_send_wait')
    do i = 1, times
      call MPI_Irecv(b, 4, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, request, ierr)
      call MPI_Send(a, 4, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, ierr)
      call MPI_Wait(request, status, ierr)
    end do
  case ('waitall_of_8')
    do i = 1, times
      do k = 1, 4
        call MPI_Irecv(b, 4, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, requests(k), ierr)
      end do
      do k = 5, 8
        call MPI_Isend(a, 4, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, requests(k), ierr)
      end do
      call MPI_Waitall(8, requests, statuses, ierr)
    end do
  case default
    call MPI_Abort(MPI_COMM_WORLD, 2, ierr)
  end select
  call MPI_Comm_free(own, ierr)
  call MPI_Finalize(ierr)
end program
