// What types tell about how they were made.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/rank/rank.h"
#include "mpi/datatype/make.h"
#include "mpi/datatype/query.h"
#include "mpi/datatype/typemap_oracle.h"

namespace heddle::datatype {
namespace {

using object::Ref;
using testing::ElementsAre;
using testing::HasSubstr;

class ContentsTest : public testing::Test {
 protected:
  ContentsTest() { Rank::enter(&rank_); }
  ~ContentsTest() override { Rank::enter(nullptr); }
  Rank rank_{0};
};

int class_of(const Error& e) {
  return e ? e.error_class() : MPI_SUCCESS;
}

struct Contents {
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Datatype> types;
  int combiner = 0;
};

Contents contents_of(const Datatype& type) {
  Room room{};
  Contents all;
  EXPECT_FALSE(get_envelope(true, type, &room.integers, &room.addresses, &room.large_counts,
                            &room.datatypes, &all.combiner));
  all.integers.resize(static_cast<std::size_t>(room.integers));
  all.addresses.resize(static_cast<std::size_t>(room.addresses));
  all.counts.resize(static_cast<std::size_t>(room.large_counts));
  all.types.resize(static_cast<std::size_t>(room.datatypes));
  if (all.combiner == MPI_COMBINER_NAMED) return all;
  EXPECT_FALSE(get_contents(true, type, room, all.integers.data(), all.addresses.data(),
                            all.counts.data(), all.types.data()));
  return all;
}

// The arguments come out of one array or two, in the order of the standard's tables.
struct Reader {
  const Contents& from;
  std::size_t integer = 0, address = 0, count = 0;
  bool large() const { return !from.counts.empty(); }
  MPI_Count number() { return large() ? from.counts[count++] : from.integers[integer++]; }
  MPI_Count bytes() { return large() ? from.counts[count++] : from.addresses[address++]; }
  std::vector<MPI_Count> numbers(MPI_Count n) {
    std::vector<MPI_Count> all;
    while (n-- > 0) all.push_back(number());
    return all;
  }
  std::vector<MPI_Count> displacements(MPI_Count n) {
    std::vector<MPI_Count> all;
    while (n-- > 0) all.push_back(bytes());
    return all;
  }
  std::vector<int> ints(int n) {
    const auto at = from.integers.begin() + static_cast<std::ptrdiff_t>(integer);
    integer += static_cast<std::size_t>(n);
    return {at, at + n};
  }
};

CountArray counts(const std::vector<MPI_Count>& values) {
  return CountArray(values.data());
}

Error rebuild_blocks(int combiner, Reader& in, Datatype* old, Datatype** out) {
  switch (combiner) {
    case MPI_COMBINER_DUP:
      return make_dup(old, out);
    case MPI_COMBINER_CONTIGUOUS:
      return make_contiguous(true, in.number(), old, out);
    case MPI_COMBINER_VECTOR: {
      const auto n = in.numbers(3);
      return make_vector(true, n[0], n[1], n[2], old, out);
    }
    case MPI_COMBINER_HVECTOR: {
      const auto n = in.numbers(2);
      return make_hvector(true, n[0], n[1], in.bytes(), old, out);
    }
    case MPI_COMBINER_INDEXED: {
      const MPI_Count n = in.number();
      const auto lengths = in.numbers(n), places = in.numbers(n);
      return make_indexed(true, n, counts(lengths), counts(places), old, out);
    }
    case MPI_COMBINER_HINDEXED: {
      const MPI_Count n = in.number();
      const auto lengths = in.numbers(n), places = in.displacements(n);
      return make_hindexed(true, n, counts(lengths), counts(places), old, out);
    }
    case MPI_COMBINER_INDEXED_BLOCK: {
      const auto n = in.numbers(2);
      const auto places = in.numbers(n[0]);
      return make_indexed_block(true, n[0], n[1], counts(places), old, out);
    }
    case MPI_COMBINER_HINDEXED_BLOCK: {
      const auto n = in.numbers(2);
      const auto places = in.displacements(n[0]);
      return make_hindexed_block(true, n[0], n[1], counts(places), old, out);
    }
    default:
      return Error::make(MPI_ERR_INTERN, "combiner %d", combiner);
  }
}

Error rebuild_others(int combiner, Reader& in, const std::vector<MPI_Datatype>& types,
                     Datatype** out) {
  Datatype* old = types.empty() ? nullptr : from_handle(types[0]);
  switch (combiner) {
    case MPI_COMBINER_STRUCT: {
      const MPI_Count n = in.number();
      const auto lengths = in.numbers(n), places = in.displacements(n);
      return make_struct(true, n, counts(lengths), counts(places), types.data(), out);
    }
    case MPI_COMBINER_RESIZED: {
      const auto n = in.displacements(2);
      return make_resized(true, old, n[0], n[1], out);
    }
    case MPI_COMBINER_SUBARRAY: {
      const int n = in.ints(1)[0];
      const auto sizes = in.numbers(n), subsizes = in.numbers(n), starts = in.numbers(n);
      return make_subarray(true, n, counts(sizes), counts(subsizes), counts(starts), in.ints(1)[0],
                           old, out);
    }
    case MPI_COMBINER_DARRAY: {
      const auto n = in.ints(3);
      const auto sizes = in.numbers(n[2]);
      const auto distribs = in.ints(n[2]), dargs = in.ints(n[2]), grid = in.ints(n[2]);
      return make_darray(true, n[0], n[1], n[2], counts(sizes), distribs.data(), dargs.data(),
                         grid.data(), in.ints(1)[0], old, out);
    }
    default:
      return rebuild_blocks(combiner, in, old, out);
  }
}

void free_all(std::vector<MPI_Datatype>& handles) {
  for (MPI_Datatype& handle : handles) {
    if (from_handle(handle)->predefined()) continue;
    EXPECT_FALSE(free(&handle));
  }
}

// Makes a type again from what its contents say, and those it is built on too.
Ref<Datatype> rebuilt(const Datatype& type) {
  if (type.named() != MPI_DATATYPE_NULL) return Ref<Datatype>(&named(type.named()));
  Contents contents = contents_of(type);
  std::vector<MPI_Datatype> types;
  for (MPI_Datatype handle : contents.types) {
    object::HandleBits bits = object::publish(rebuilt(*from_handle(handle)).leak());
    types.push_back(reinterpret_cast<MPI_Datatype>(bits));
  }
  free_all(contents.types);
  Reader in{contents};
  Datatype* out = nullptr;
  EXPECT_FALSE(rebuild_others(contents.combiner, in, types, &out));
  EXPECT_EQ(in.integer, contents.integers.size());
  EXPECT_EQ(in.address, contents.addresses.size());
  EXPECT_EQ(in.count, contents.counts.size());
  free_all(types);
  return Ref<Datatype>::adopt(out);
}

TEST_F(ContentsTest, ATypeMadeAgainFromItsContentsIsEqual) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    oracle::RandomTypes random(seed);
    const oracle::Sample sample = random.make(static_cast<int>(random.number(1, 4)));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + sample.story);
    const Ref<Datatype> again = rebuilt(*sample.type);
    ASSERT_EQ(again->size(), sample.map.size());
    ASSERT_EQ(again->lower_bound(), sample.map.lower());
    ASSERT_EQ(again->extent(), sample.map.extent());
    ASSERT_EQ(again->true_lower_bound(), sample.map.true_lower());
    ASSERT_EQ(again->recipe().combiner, sample.type->recipe().combiner);
  }
  EXPECT_EQ(object::live_count(object::Kind::kDatatype), 0U);
}

TEST_F(ContentsTest, ContentsStandInTheArraysThatTheStandardNames) {
  Datatype* made = nullptr;
  ASSERT_FALSE(make_hvector(false, 3, 2, 40, &named(MPI_INT), &made));
  const Ref<Datatype> small = Ref<Datatype>::adopt(made);
  Contents contents = contents_of(*small);
  EXPECT_THAT(contents.integers, ElementsAre(3, 2));
  EXPECT_THAT(contents.addresses, ElementsAre(40));
  EXPECT_THAT(contents.counts, ElementsAre());
  EXPECT_THAT(contents.types, ElementsAre(MPI_INT));

  ASSERT_FALSE(make_hvector(true, 3, 2, 40, &named(MPI_INT), &made));
  const Ref<Datatype> large = Ref<Datatype>::adopt(made);
  contents = contents_of(*large);
  EXPECT_THAT(contents.integers, ElementsAre());
  EXPECT_THAT(contents.addresses, ElementsAre());
  EXPECT_THAT(contents.counts, ElementsAre(3, 2, 40));
}

TEST_F(ContentsTest, WrongQuestionsAboutContentsAreRefused) {
  Datatype* made = nullptr;
  ASSERT_FALSE(make_contiguous(true, 5, &named(MPI_INT), &made));
  const Ref<Datatype> large = Ref<Datatype>::adopt(made);
  Room room{};
  int combiner = 0;
  Error e = get_envelope(false, *large, &room.integers, &room.addresses, &room.large_counts,
                         &room.datatypes, &combiner);
  EXPECT_EQ(class_of(e), MPI_ERR_TYPE);

  const Room too_little{0, 0, 0, 1}, enough{9, 9, 9, 9};
  e = get_contents(true, *large, too_little, nullptr, nullptr, nullptr, nullptr);
  ASSERT_EQ(class_of(e), MPI_ERR_ARG);
  EXPECT_THAT(std::string(e.text()), HasSubstr("max_large_counts is 0"));

  e = get_contents(true, named(MPI_INT), enough, nullptr, nullptr, nullptr, nullptr);
  EXPECT_EQ(class_of(e), MPI_ERR_TYPE);
}

}  // namespace
}  // namespace heddle::datatype
