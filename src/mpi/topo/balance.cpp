#include "mpi/topo/balance.h"

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <vector>

namespace heddle::topo {

namespace {

std::vector<int> divisors_of(int number) {
  std::vector<int> low, high;
  for (int i = 1; std::int64_t{i} * i <= number; ++i) {
    if (number % i != 0) continue;
    low.push_back(i);
    if (i != number / i) high.push_back(number / i);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

// True if base^exponent >= bound.
bool reaches(int base, std::size_t exponent, std::int64_t bound) noexcept {
  std::int64_t power = 1;
  for (std::size_t i = 0; i < exponent && power < bound; ++i) power *= base;
  return power >= bound;
}

// The largest number whose power is at most `bound`.
int root(int bound, std::size_t exponent) noexcept {
  int low = 1, high = bound;
  while (low < high) {
    const int middle = high - (high - low) / 2;
    if (reaches(middle, exponent, std::int64_t{bound} + 1)) {
      high = middle - 1;
    } else {
      low = middle;
    }
  }
  return low;
}

// Tries the ways to write a number as a product of factors that do not increase. The first factor
// and what is left say how close the factors can be, so each step leaves out what is worse than the
// best way so far.
class Search {
 public:
  Search(int number, std::size_t factors) : divisors_(divisors_of(number)), factors_(factors) {
    extend(0, number);
  }

  const std::vector<int>& best() const noexcept { return best_; }

 private:
  // Tries all factors from number `at` on, whose product is `left`.
  void extend(std::size_t at, int left) {
    const std::size_t behind = factors_.size() - at - 1;
    const int most = at == 0 ? INT_MAX : factors_[at - 1];
    for (const int factor : divisors_) {
      if (factor > most || factor > left) return;
      if (left % factor != 0 || !reaches(factor, behind + 1, left)) continue;
      factors_[at] = factor;
      const int smallest = behind == 0 ? factor : root(left / factor, behind);
      if (factors_[0] - smallest > best_spread_) return;  // and more so with a larger factor
      if (behind > 0) {
        extend(at + 1, left / factor);
      } else {
        compare();
      }
    }
  }

  // The factors are at least as close as the best ones.
  void compare() {
    const int spread = factors_.front() - factors_.back();
    if (spread == best_spread_ &&
        !std::lexicographical_compare(best_.rbegin(), best_.rend(), factors_.rbegin(),
                                      factors_.rend())) {
      return;
    }
    best_spread_ = spread;
    best_ = factors_;
  }

  const std::vector<int> divisors_;
  std::vector<int> factors_;
  std::vector<int> best_;
  int best_spread_ = INT_MAX;
};

}  // namespace

Error balance(int processes, int count, int* dims) {
  if (processes <= 0) {
    return Error::make(MPI_ERR_ARG, "argument nnodes is %d, but must be positive", processes);
  }
  int left = processes;
  std::size_t open = 0;
  for (int i = 0; i < count; ++i) {
    if (dims[i] < 0) {
      return Error::make(MPI_ERR_DIMS, "argument dims[%d] is %d, but must not be negative", i,
                         dims[i]);
    }
    if (dims[i] == 0) {
      ++open;
    } else if (left % dims[i] == 0) {
      left /= dims[i];
    } else {
      return Error::make(MPI_ERR_DIMS, "the sizes that argument dims gives do not divide %d",
                         processes);
    }
  }
  if (open == 0) return {};
  const Search search(left, open);
  std::size_t next = 0;
  for (int i = 0; i < count; ++i) {
    if (dims[i] == 0) dims[i] = search.best()[next++];
  }
  return {};
}

}  // namespace heddle::topo
