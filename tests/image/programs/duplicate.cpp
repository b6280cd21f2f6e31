// Compiled without -fno-gnu-unique, as another compiler's object would be: one definition in the whole
// process, if nothing is done.
template <class T>
struct Unique {
  static int value;
};
template <class T>
int Unique<T>::value = 70;

extern "C" int add_to_unique(int n) {
  return Unique<int>::value += n;
}
