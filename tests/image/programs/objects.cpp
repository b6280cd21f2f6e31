// C++ of every kind: static objects, exceptions, thread_local, templates' statics, streams.
#include <iomanip>
#include <iostream>
#include <locale>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
int* witness = nullptr;
int constructed = 0;

struct Tracked {
  Tracked() { ++constructed; }
  ~Tracked() {
    if (witness != nullptr) ++*witness;
  }
};
Tracked first;
Tracked second;
std::map<std::string, int> registry{{"one", 1}};
thread_local std::vector<int> per_thread{1, 2, 3};
}  // namespace

template <class T>
struct Template {
  static int value;
};
template <class T>
int Template<T>::value = 40;
template struct Template<int>;

inline int& local_static() {
  static int value = 60;
  return value;
}

extern "C" void set_witness(int* where) {
  witness = where;
}
extern "C" int add_to_template(int n) {
  return Template<int>::value += n;
}
extern "C" int add_to_local_static(int n) {
  return local_static() += n;
}
extern "C" void set_hex(int on) {
  on != 0 ? std::cout << std::hex : std::cout << std::dec;
}
extern "C" int is_hex() {
  return (std::cout.flags() & std::ios::hex) != 0;
}

static std::string written() {
  std::ostringstream narrow;
  narrow << 2.5 << ' ' << 17 << ' ' << std::put_money(12345);
  std::wostringstream wide;
  wide << 2.5 << L' ' << 1234567;
  return narrow.str() + (wide.str() == L"2.5 1234567" ? "" : " wrong");
}

static int level(int depth) {
  if (depth == 0) throw std::out_of_range("bottom");
  try {
    return level(depth - 1);
  } catch (const std::out_of_range&) {
    throw;
  }
}

int main(int argc, char** argv) {
  if (constructed != 2) return 1;
  if (registry.size() != 1) return 2;
  registry[argc > 1 ? argv[1] : "x"] = 2;
  if (per_thread.size() != 3) return 3;
  per_thread.push_back(4);
  if (written() != "2.5 17 12345") return 4;
  std::istringstream in("3.25 17");
  double real = 0;
  int whole = 0;
  if (!(in >> real >> whole) || real != 3.25 || whole != 17) return 5;
  try {
    level(20);
    return 6;
  } catch (const std::exception& e) {
    if (std::string(e.what()) != "bottom") return 7;
  }
  try {
    return std::stoi("no number");
  } catch (const std::invalid_argument&) {
  }
  if (!std::cout.good()) return 8;
  std::cout << "";
  return std::cout.good() ? 0 : 9;
}
