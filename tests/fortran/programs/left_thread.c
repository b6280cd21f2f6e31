// A thread that stands when its process ends, as a pool of a library's threads does.
#include <pthread.h>
#include <unistd.h>

static void* stand(void* nothing) {
  for (;;) pause();
  return nothing;
}

void leave_thread_(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, stand, NULL);
}
