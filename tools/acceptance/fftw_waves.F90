! FFTW's MPI transforms by its interface in Fortran: a wave must become one number at its frequency, and return.
program fftw_waves
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  include 'fftw3-mpi.f03'
  integer :: rank, ierr, wrong = 0
  integer(c_intptr_t), parameter :: l = 14, m = 10, n = 12
  real(c_double), parameter :: turn = 2*acos(-1d0), close = 1d-9
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call fftw_mpi_init()
  call in_place(3_c_intptr_t, 7_c_intptr_t, 5_c_intptr_t)
  call in_place(0_c_intptr_t, 9_c_intptr_t, 11_c_intptr_t)
  call transposed(4_c_intptr_t, 2_c_intptr_t, 13_c_intptr_t)
  call real_ones(5_c_intptr_t, 6_c_intptr_t)
  call of_a_part()
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(i0,a)', wrong, ' wrong'
  call fftw_mpi_cleanup()
  call MPI_Finalize(ierr)
  if (wrong > 0) stop 1

contains

  subroutine check(right, line)
    logical, intent(in) :: right
    integer, intent(in) :: line
    if (right) return
    wrong = wrong + 1
    print '(a,i0,a,i0)', 'rank ', rank, ': wrong in line ', line
  end subroutine

  complex(c_double) function wave(phase)
    real(c_double), intent(in) :: phase
    wave = exp(cmplx(0, turn*phase, c_double))
  end function

  ! Planes of the last dimension belong to the ranks. f: frequencies, from 0.
  subroutine fill(data, first, f, g, h)
    complex(c_double), intent(out) :: data(:,:,:)
    integer(c_intptr_t), intent(in) :: first, f, g, h
    integer :: i, j, k
    do k = 1, size(data, 3)
      do j = 1, size(data, 2)
        do i = 1, size(data, 1)
          data(i, j, k) = wave(f*(i - 1)/real(n, c_double) + g*(j - 1)/real(m, c_double) + h*(first + k - 1)/real(l, c_double))
        end do
      end do
    end do
  end subroutine

  ! Whether data is `peak` at the place whose indices are i, j, and first + k, from 0, and nothing elsewhere.
  logical function has_peak(data, first, i, j, k, peak)
    complex(c_double), intent(in) :: data(:,:,:)
    integer(c_intptr_t), intent(in) :: first, i, j, k
    real(c_double), intent(in) :: peak
    complex(c_double) :: wanted(size(data, 1), size(data, 2), size(data, 3))
    wanted = 0
    if (k >= first .and. k < first + size(data, 3)) wanted(i + 1, j + 1, k - first + 1) = peak
    has_peak = all(abs(data - wanted) < close*peak)
  end function

  subroutine in_place(f, g, h)
    integer(c_intptr_t), intent(in) :: f, g, h
    type(c_ptr) :: memory, forth, back
    integer(c_intptr_t) :: planes, first
    complex(c_double), pointer :: data(:,:,:)
    complex(c_double), allocatable :: before(:,:,:)
    memory = fftw_alloc_complex(fftw_mpi_local_size_3d(l, m, n, MPI_COMM_WORLD, planes, first))
    call c_f_pointer(memory, data, [n, m, planes])
    forth = fftw_mpi_plan_dft_3d(l, m, n, data, data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE)
    back = fftw_mpi_plan_dft_3d(l, m, n, data, data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE)
    call fill(data, first, f, g, h)
    before = data
    call fftw_mpi_execute_dft(forth, data, data)
    call check(has_peak(data, first, f, g, h, real(l*m*n, c_double)), __LINE__)
    call fftw_mpi_execute_dft(back, data, data)
    call check(all(abs(data/(l*m*n) - before) < close), __LINE__)
    call fftw_destroy_plan(forth)
    call fftw_destroy_plan(back)
    call fftw_free(memory)
  end subroutine

  ! The result has the last two dimensions exchanged.
  subroutine transposed(f, g, h)
    integer(c_intptr_t), intent(in) :: f, g, h
    type(c_ptr) :: memory, memory_out, plan
    integer(c_intptr_t) :: planes, first, planes_out, first_out, size_of_all
    complex(c_double), pointer :: data(:,:,:), out(:,:,:)
    size_of_all = fftw_mpi_local_size_3d_transposed(l, m, n, MPI_COMM_WORLD, planes, first, planes_out, first_out)
    memory = fftw_alloc_complex(size_of_all)
    memory_out = fftw_alloc_complex(size_of_all)
    call c_f_pointer(memory, data, [n, m, planes])
    call c_f_pointer(memory_out, out, [n, l, planes_out])
    plan = fftw_mpi_plan_dft_3d(l, m, n, data, out, MPI_COMM_WORLD, FFTW_FORWARD, ior(FFTW_MEASURE, FFTW_MPI_TRANSPOSED_OUT))
    call fill(data, first, f, g, h)
    call fftw_mpi_execute_dft(plan, data, out)
    call check(has_peak(out, first_out, f, h, g, real(l*m*n, c_double)), __LINE__)
    call fftw_destroy_plan(plan)
    call fftw_free(memory)
    call fftw_free(memory_out)
  end subroutine

  ! A cosine of two dimensions, forth and back; numbers that are not there fill each row.
  subroutine real_ones(g, h)
    integer(c_intptr_t), intent(in) :: g, h
    type(c_ptr) :: memory, forth, back
    integer(c_intptr_t) :: planes, first
    integer :: j, k
    real(c_double), pointer :: data(:,:)
    complex(c_double), pointer :: out(:,:)
    complex(c_double), allocatable :: wanted(:,:)
    real(c_double), allocatable :: before(:,:)
    memory = fftw_alloc_complex(fftw_mpi_local_size_2d(l, m/2 + 1, MPI_COMM_WORLD, planes, first))
    call c_f_pointer(memory, data, [2*(m/2 + 1), planes])
    call c_f_pointer(memory, out, [m/2 + 1, planes])
    forth = fftw_mpi_plan_dft_r2c_2d(l, m, data, out, MPI_COMM_WORLD, FFTW_MEASURE)
    back = fftw_mpi_plan_dft_c2r_2d(l, m, out, data, MPI_COMM_WORLD, FFTW_MEASURE)
    do k = 1, int(planes)
      do j = 1, int(m)
        data(j, k) = cos(turn*(g*(j - 1)/real(m, c_double) + h*(first + k - 1)/real(l, c_double)))
      end do
    end do
    before = data(:m, :)
    call fftw_mpi_execute_dft_r2c(forth, data, out)
    allocate (wanted(m/2 + 1, planes))
    wanted = 0
    do k = 1, int(planes)   ! half of the cosine at each of two frequencies; of the first dimension one half is kept
      if (g <= m/2 .and. first + k - 1 == h) wanted(g + 1, k) = wanted(g + 1, k) + l*m/2d0
      if (m - g <= m/2 .and. first + k - 1 == l - h) wanted(m - g + 1, k) = wanted(m - g + 1, k) + l*m/2d0
    end do
    call check(all(abs(out - wanted) < close*l*m), __LINE__)
    call fftw_mpi_execute_dft_c2r(back, out, data)
    call check(all(abs(data(:m, :)/(l*m) - before) < close), __LINE__)
    call fftw_destroy_plan(forth)
    call fftw_destroy_plan(back)
    call fftw_free(memory)
  end subroutine

  ! Communicators of the program's own, of which each rank has one of two.
  subroutine of_a_part()
    type(c_ptr) :: memory, plan
    integer(c_intptr_t) :: planes, first
    complex(c_double), pointer :: data(:,:,:)
    integer :: part
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, part, ierr)
    memory = fftw_alloc_complex(fftw_mpi_local_size_3d(l, m, n, part, planes, first))
    call c_f_pointer(memory, data, [n, m, planes])
    plan = fftw_mpi_plan_dft_3d(l, m, n, data, data, part, FFTW_FORWARD, FFTW_ESTIMATE)
    call fill(data, first, 2_c_intptr_t, 3_c_intptr_t, 4_c_intptr_t)
    call fftw_mpi_execute_dft(plan, data, data)
    call check(has_peak(data, first, 2_c_intptr_t, 3_c_intptr_t, 4_c_intptr_t, real(l*m*n, c_double)), __LINE__)
    call fftw_destroy_plan(plan)
    call fftw_free(memory)
    call MPI_Comm_free(part, ierr)
  end subroutine
end program
