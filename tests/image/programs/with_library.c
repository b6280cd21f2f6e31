/* Uses a library of its own, through calls, data and a callback. */
extern int library_counter;
extern __thread int library_per_thread;
void set_callback(int (*function)(int));
int call_back(int n);
int add_to_library(int n);
int* address_of_library_counter(void);
int ask_who_defines(void);

static int called;
static int called_back(int n) {
  return called += n;
}
int who_defines(void) {
  return 1;
}
int* library_address(void) {
  return address_of_library_counter();
}

int main(int argc, char** argv) {
  (void)argv;
  if (library_counter != 7) return 1;
  if (add_to_library(argc) != 7 + argc || library_counter != 7 + argc) return 2;
  if (call_back(1) != -1) return 3;
  set_callback(called_back);
  if (call_back(5) != 5 || call_back(6) != 11) return 4;
  if (library_per_thread++ != 9) return 5;
  if (address_of_library_counter() != &library_counter) return 6;
  return ask_who_defines() == 1 ? 0 : 7;
}
