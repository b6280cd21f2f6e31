/* A library of an application, with state, a callback and a thread-local variable. */
int library_counter = 7;
__thread int library_per_thread = 9;
static int (*callback)(int);

void set_callback(int (*function)(int)) {
  callback = function;
}
int call_back(int n) {
  return callback == 0 ? -1 : callback(n);
}
int add_to_library(int n) {
  return library_counter += n;
}
int* address_of_library_counter(void) {
  return &library_counter;
}
/* The program's definition comes first, as in any process. */
__attribute__((weak)) int who_defines(void) {
  return 2;
}
int ask_who_defines(void) {
  return who_defines();
}
