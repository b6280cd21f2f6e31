! Systems of equations whose solution is known, for MUMPS in double precision: `mumps_problems EDGE`, the number of points of a
! cube's edge. Rank 0 says of each whether it was right.
program mumps_problems
  implicit none
  include 'mpif.h'
  include 'dmumps_struc.h'
  integer, parameter :: general = 0, definite = 1, symmetric = 2
  integer :: rank, ranks, edge, ierr, number = 0, wrong = 0
  character(32) :: argument
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, argument)
  read (argument, *) edge
  call solve(general, 1, .false., .false., 1, MPI_COMM_WORLD)
  call solve(definite, 1, .false., .false., 1, MPI_COMM_WORLD)
  call solve(symmetric, 1, .false., .false., 1, MPI_COMM_WORLD)
  call solve(general, 1, .true., .false., 1, MPI_COMM_WORLD)
  call solve(symmetric, 1, .true., .true., 1, MPI_COMM_WORLD)
  call solve(general, 1, .true., .true., 5, MPI_COMM_WORLD)
  if (ranks > 1) call solve(general, 0, .false., .false., 3, MPI_COMM_WORLD)
  if (ranks > 1) call solve(definite, 0, .true., .false., 1, MPI_COMM_WORLD)
  call solve_by_halves()
  if (rank == 0) print '(i0,a,i0,a)', number, ' problems, ', wrong, ' wrong'
  call MPI_Finalize(ierr)
  if (wrong > 0) stop 1

contains

  ! Two instances at once, each of a part of the ranks.
  subroutine solve_by_halves()
    integer :: half
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
    call solve(symmetric, 1, .true., .false., 2, half)
    call MPI_Comm_free(half, ierr)
  end subroutine

  ! The entries of rows `first` to `last`: a Laplacian with seven points, with wind or with a shift.
  subroutine fill(kind, first, last, rows, columns, values)
    integer, intent(in) :: kind, first, last
    integer, allocatable, intent(out) :: rows(:), columns(:)
    double precision, allocatable, intent(out) :: values(:)
    integer :: row, n, way, step, axis, place
    n = 0
    allocate (rows(7*(last - first + 1)), columns(7*(last - first + 1)), values(7*(last - first + 1)))
    do row = first, last
      call add(rows, columns, values, n, row, row, merge(6d0 - 1.3d0, 6.5d0, kind == symmetric))
      do axis = 0, 2
        step = edge**axis
        place = mod((row - 1)/step, edge)
        do way = -1, 1, 2
          if (place + way < 0 .or. place + way >= edge) cycle
          if (kind /= general .and. way > 0) cycle    ! the lower triangle
          call add(rows, columns, values, n, row, row + way*step, merge(-1d0 + 0.3d0*way, -1d0, kind == general))
        end do
      end do
    end do
    rows = rows(:n)
    columns = columns(:n)
    values = values(:n)
  end subroutine

  subroutine add(rows, columns, values, n, i, j, value)
    integer, intent(inout) :: rows(:), columns(:), n
    double precision, intent(inout) :: values(:)
    integer, intent(in) :: i, j
    double precision, intent(in) :: value
    n = n + 1
    rows(n) = i
    columns(n) = j
    values(n) = value
  end subroutine

  double precision function solution(i, which)
    integer, intent(in) :: i, which
    solution = 1 + mod(i*which, 17)/17d0
  end function

  subroutine solve(kind, host_works, is_distributed, out_of_core, sides, comm)
    integer, intent(in) :: kind, host_works, sides, comm
    logical, intent(in) :: is_distributed, out_of_core
    type(DMUMPS_STRUC) :: id
    integer, allocatable, target :: rows(:), columns(:)
    double precision, allocatable, target :: values(:), right(:)
    integer :: me, all, n, first, last, i, k, code, failed
    double precision :: off
    call MPI_Comm_rank(comm, me, code)
    call MPI_Comm_size(comm, all, code)
    n = edge**3
    id%COMM = comm
    id%SYM = kind
    id%PAR = host_works
    id%JOB = -1
    call DMUMPS(id)
    id%ICNTL(1:4) = [6, 0, 0, 1]
    id%ICNTL(11) = merge(1, 0, sides == 1)     ! MUMPS judges itself, too
    id%ICNTL(14) = 60
    id%ICNTL(18) = merge(3, 0, is_distributed)
    id%ICNTL(22) = merge(1, 0, out_of_core)
    if (out_of_core) id%OOC_TMPDIR = '.'
    if (me == 0) then       ! all of the matrix, for the right-hand sides
      call fill(kind, 1, n, rows, columns, values)
      id%N = n
      allocate (right(n*sides))
      right = 0
      do k = 1, sides
        do i = 1, size(values)
          right(n*(k - 1) + rows(i)) = right(n*(k - 1) + rows(i)) + values(i)*solution(columns(i), k)
          if (kind /= general .and. rows(i) /= columns(i)) &
            right(n*(k - 1) + columns(i)) = right(n*(k - 1) + columns(i)) + values(i)*solution(rows(i), k)
        end do
      end do
      id%NRHS = sides
      id%LRHS = n
      id%RHS => right
      id%NNZ = size(values)
      if (.not. is_distributed) then
        id%IRN => rows
        id%JCN => columns
        id%A => values
      end if
    end if
    if (is_distributed) then
      i = all - 1 + host_works     ! of these each has rows; a host that does not work has none
      k = max(me - 1 + host_works, -1)
      first = int(int(n, 8)*max(k, 0)/i) + 1
      last = int(int(n, 8)*(k + 1)/i)
      call fill(kind, first, last, rows, columns, values)
      id%NNZ_loc = size(values)
      id%IRN_loc => rows
      id%JCN_loc => columns
      id%A_loc => values
    end if
    id%JOB = 6
    call DMUMPS(id)
    failed = 0
    if (me == 0) then
      off = 0
      do k = 1, sides
        do i = 1, n
          off = max(off, abs(right(n*(k - 1) + i) - solution(i, k)))
        end do
      end do
      if (id%INFOG(1) /= 0 .or. off > 1d-8 .or. off /= off) failed = 1
      if (sides == 1 .and. max(id%RINFOG(7), id%RINFOG(8)) > 1d-10) failed = 1
      if (failed > 0) print '(a,5i6,2es12.3)', 'wrong: ', kind, host_works, sides, id%INFOG(1:2), off, id%RINFOG(7)
    end if
    id%JOB = -2
    call DMUMPS(id)
    call MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    number = number + 1
    wrong = wrong + failed
  end subroutine
end program
