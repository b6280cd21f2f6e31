// A library for elf_edit_test: a unique symbol, a function for others, and one that stays inside.

template <class T>
struct Counter {
  static inline T count = 0;  // STB_GNU_UNIQUE
};

static int add_inside(int by) {
  return Counter<int>::count += by;
}

extern "C" int sample_add(int by) {
  return add_inside(by);
}
