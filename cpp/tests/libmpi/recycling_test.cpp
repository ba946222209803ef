#include "preload/libmpi/core/requests/recycling.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "check.hpp"

namespace odonata::libmpi::tests::recycling_test {

using odonata::libmpi::make_recycled;
using odonata::libmpi::Recycling;

namespace {

struct Counted {
  explicit Counted(int& alive) : alive(alive) { ++alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }
  int& alive;
  std::array<double, 9> data{};
};

}  // namespace

TEST("recycling/memory given back last is taken first, and nothing twice") {
  Recycling<Counted> memory;
  std::vector<Counted*> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(memory.allocate(1));
  CHECK_EQUAL(std::set<Counted*>(taken.begin(), taken.end()).size(), 4U);
  memory.deallocate(taken[2], 1);
  memory.deallocate(taken[0], 1);
  CHECK_EQUAL(memory.allocate(1), taken[0]);
  CHECK_EQUAL(memory.allocate(1), taken[2]);
  taken.push_back(memory.allocate(1));
  CHECK_EQUAL(std::set<Counted*>(taken.begin(), taken.end()).size(), 5U);
  for (Counted* place : taken) memory.deallocate(place, 1);
}

TEST("recycling/objects of one type do not get the memory of another") {
  Recycling<double> doubles;
  double* number = doubles.allocate(1);
  doubles.deallocate(number, 1);
  Recycling<long> longs;
  long* other = longs.allocate(1);
  CHECK_EQUAL(static_cast<void*>(other) == static_cast<void*>(number), false);
  CHECK_EQUAL(doubles.allocate(1), number);
  longs.deallocate(other, 1);
  doubles.deallocate(number, 1);
}

TEST("recycling/shared objects live as long as they are held") {
  int alive = 0;
  const void* place = nullptr;
  {
    const auto first = make_recycled<Counted>(alive);
    std::vector held{first, first};
    held.pop_back();
    place = held.front().get();
    CHECK_EQUAL(alive, 1);
    CHECK_EQUAL(reinterpret_cast<std::uintptr_t>(place) % alignof(Counted), 0U);
  }
  CHECK_EQUAL(alive, 0);
  CHECK_EQUAL(static_cast<const void*>(make_recycled<Counted>(alive).get()), place);
}

}  // namespace odonata::libmpi::tests::recycling_test
