/* Every kind of variable that ranks must not share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int counter = 100;
int table[1000];
static int hidden_counter;
__thread int per_thread = 5;
static __thread int hidden_per_thread;
extern char** environ;

static int add(int n) {
  return counter += n;
}
static int subtract(int n) {
  return counter -= n;
}
int (*operations[])(int) = {add, subtract};
const char* const names[] = {"add", "subtract"};

__attribute__((visibility("default"))) int apply(int operation, int n) {
  return operations[operation](n);
}
__attribute__((visibility("default"))) int* address_of_counter(void) {
  return &counter;
}
__attribute__((visibility("default"))) int* address_of_per_thread(void) {
  return &per_thread;
}

/* Returns 0 if every variable is as fresh as in a process of its own; leaves them changed. */
int main(int argc, char** argv) {
  static int calls;
  int number = argc > 1 ? atoi(argv[1]) : 0;
  if (calls++ != 0) return 1;
  if (counter != 100 || hidden_counter != 0) return 2;
  if (per_thread != 5 || hidden_per_thread != 0) return 3;
  for (int i = 0; i < 1000; ++i)
    if (table[i]++ != 0) return 4;
  if (operations[0](number) != 100 + number) return 5;
  if (strcmp(names[1], "subtract") != 0) return 6;
  hidden_counter = per_thread = hidden_per_thread = number + 1000;
  errno = number;
  if (environ == NULL || getenv("PATH") == NULL) return 7;
  return errno == number ? 0 : 8;
}
