! Rank 0 adds up what it reads from unit 5; then each rank writes lines to units 6 and 0.
program units
  use mpi
  implicit none
  integer :: rank, ierr, number, total = 0, i, status
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) then
    do
      read (5, *, iostat=status) number
      if (status /= 0) exit
      total = total + number
    end do
    if (.not. is_iostat_end(status)) total = -1
  end if
  call MPI_Bcast(total, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  do i = 1, 50
    write (6, '(a,i0,a,i0,a,i0)') 'rank ', rank, ', line ', i, ', sum ', total
    write (0, '(a,i0,a,i0,a,i0)') 'rank ', rank, ', line ', i, ', sum ', total
    if (i == 25) call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
  print '(a,i0)', 'after the end, rank ', rank
end program
