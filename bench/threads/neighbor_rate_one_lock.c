/* neighbor_rate_one_lock - neighbor_rate with one lock around the calls of a process, as MPI libraries had it before they
 * had finer ones. PMPI wrappers of its messages take a mutex on entry. A call that would wait gives the mutex back before it
 * does, and takes it again afterwards. */
#include "neighbor_rate.c"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  pthread_mutex_lock(&lock);
  const int error = PMPI_Isend(data, count, type, to, tag, comm, request);
  pthread_mutex_unlock(&lock);
  return error;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  pthread_mutex_lock(&lock);
  const int error = PMPI_Irecv(data, count, type, from, tag, comm, request);
  pthread_mutex_unlock(&lock);
  return error;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int done;
  pthread_mutex_lock(&lock);
  int error = PMPI_Testall(count, requests, &done, statuses);
  if (error == MPI_SUCCESS && !done) {
    pthread_mutex_unlock(&lock);
    error = PMPI_Waitall(count, requests, statuses);
    pthread_mutex_lock(&lock);
  }
  pthread_mutex_unlock(&lock);
  return error;
}
