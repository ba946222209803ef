// Readings of a clock in a row: when they begin to take time, and how much.
#include "check.hpp"
#include "preload/libmpi/core/environment/clock_row.hpp"

namespace odonata::tests::clock_row_test {
namespace {

using libmpi::ClockRow;
using trace::Asker;

constexpr int first = 1'000'000;  // readings that take no time

// Readings of so many, none of which takes time.
bool all_free(ClockRow& row, int count, Asker asker) {
  for (int i = 0; i < count; ++i)
    if (row.read(5, asker) != 0) return false;
  return true;
}

TEST("libmpi/clock row: a million readings take no time, and the next one 1 us") {
  for (const Asker asker : {Asker::wtime, Asker::c_library}) {
    ClockRow row;
    CHECK(all_free(row, first, asker));
    CHECK(!row.waits());
    CHECK_EQUAL(row.read(5, asker), 1'000);
    CHECK(row.waits());
  }
}

TEST("libmpi/clock row: another call begins a new row") {
  ClockRow row;
  for (int i = 0; i < 3; ++i) {
    CHECK(all_free(row, first, Asker::wtime));
    row.end();
  }
  CHECK(!row.waits());
}

TEST("libmpi/clock row: a rank that has waited so is believed sooner") {
  ClockRow row;
  CHECK(all_free(row, first, Asker::wtime));
  CHECK_EQUAL(row.read(5, Asker::wtime), 1'000);
  row.end();
  CHECK(all_free(row, 10'000, Asker::wtime));
  CHECK_EQUAL(row.read(5, Asker::wtime), 1'000);
  row.end();
  CHECK(all_free(row, 100'000, Asker::c_library));
  CHECK_EQUAL(row.read(5, Asker::c_library), 1'000);
}

TEST("libmpi/clock row: a loop around MPI_Wtime gets to its time in few readings") {
  ClockRow row;
  CHECK(all_free(row, first, Asker::wtime));
  Time now = 5;
  for (int i = 0; i < 1'000; ++i) {
    const Time takes = row.read(now, Asker::wtime) * 1'000;
    CHECK(takes == 1'000'000 || (takes <= now / 64 && takes >= now / 65 - 2'000));
    now += takes;
  }
  CHECK(now > 1'000'000'000'000);  // 1 s
}

TEST("libmpi/clock row: a reading of a system's clock takes 100 us at most") {
  ClockRow row;
  CHECK(all_free(row, first, Asker::c_library));
  CHECK_EQUAL(row.read(1'000'000'000'000'000, Asker::c_library), 100'000);
}

}  // namespace
}  // namespace odonata::tests::clock_row_test
