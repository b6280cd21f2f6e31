c     mpif.h in fixed form: a ring, sentinels, statuses, indices that
c     count from 1, strings, COMMON and SAVE. Rank 0 tells the errors.
      program ring
      implicit none
      include 'mpif.h'
      integer rank, size, next, prev, ierr, n, i, index, errors, all
      integer requests(2), statuses(MPI_STATUS_SIZE,2), status(8)
      integer got, token, total, block(1), type, values(4)
      integer(kind=MPI_ADDRESS_KIND) places(1)
      character*(MPI_MAX_PROCESSOR_NAME) name
      double precision began
      integer own
      common /of_rank/ own
      errors = 0
      call mpi_init(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
      began = mpi_wtime()
      own = rank
      next = mod(rank + 1, size)
      prev = mod(rank + size - 1, size)
      token = rank
      call mpi_irecv(got, 1, MPI_INTEGER, prev, 7, MPI_COMM_WORLD,
     &               requests(1), ierr)
      call mpi_isend(token, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD,
     &               requests(2), ierr)
      call mpi_waitall(2, requests, statuses, ierr)
      if (got .ne. prev) errors = errors + 1
      if (statuses(MPI_SOURCE,1) .ne. prev) errors = errors + 1
      if (statuses(MPI_TAG,1) .ne. 7) errors = errors + 1
      if (requests(1) .ne. MPI_REQUEST_NULL) errors = errors + 1
      call mpi_get_count(statuses(1,1), MPI_INTEGER, n, ierr)
      if (n .ne. 1) errors = errors + 1
c     One request of two is open: its index is 2.
      requests(1) = MPI_REQUEST_NULL
      call mpi_irecv(got, 1, MPI_INTEGER, prev, 8, MPI_COMM_WORLD,
     &               requests(2), ierr)
      call mpi_send(token, 1, MPI_INTEGER, next, 8, MPI_COMM_WORLD,
     &              ierr)
      call mpi_waitany(2, requests, index, status, ierr)
      if (index .ne. 2) errors = errors + 1
      call mpi_waitany(2, requests, index, MPI_STATUS_IGNORE, ierr)
      if (index .ne. MPI_UNDEFINED) errors = errors + 1
      call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
      total = rank
      call mpi_allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      if (total .ne. size*(size-1)/2) errors = errors + 1
      do i = 1, 4
        values(i) = rank*10 + i
      end do
      call mpi_get_address(values, places(1), ierr)
      block(1) = 4
      call mpi_type_create_hindexed(1, block, places, MPI_INTEGER, type,
     &                              ierr)
      call mpi_type_commit(type, ierr)
      call mpi_sendrecv_replace(MPI_BOTTOM, 1, type, next, 3, prev, 3,
     &             MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      do i = 1, 4
        if (values(i) .ne. prev*10 + i) errors = errors + 1
      end do
      call mpi_type_free(type, ierr)
      call mpi_get_processor_name(name, n, ierr)
      if (n .le. 0 .or. name(n+1:n+1) .ne. ' ') errors = errors + 1
      if (own .ne. rank .or. mpi_wtime() .lt. began) errors = errors + 1
      call mpi_reduce(errors, all, 1, MPI_INTEGER, MPI_SUM, 0,
     &                MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) print '(i0,a,i0,a)', size, ' ranks, ', all,
     &   ' errors'
      call mpi_finalize(ierr)
      end
