/* A library whose functions, its constructor among them, call nested functions: it wants executable stacks. */
static int apply(int (*function)(int), int value) {
  return function(value);
}

int call_nested(int value) {
  int times = 3;
  int nested(int x) {
    return times * x;
  }
  return apply(nested, value);
}

__attribute__((constructor)) static void begin(void) {
  if (call_nested(2) != 6) __builtin_trap();
}
