// The timed kernels are right: products by hand, trials that each took some time.
#include "check.hpp"
#include "odonata/measure/products.hpp"
#include "odonata/measure/triad.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::test_kernels {
namespace {

TEST("measure/a product by hand") {
  // [2 0 1; 0 0 0; 0 3 4] (1, 10, 100)
  const std::vector<std::int32_t> starts{0, 2, 2, 4}, columns{0, 2, 1, 2};
  const std::vector<double> values{2, 1, 3, 4}, x{1, 10, 100};
  std::vector<double> y(3, -1);
  multiply({starts, columns, values}, x, y);
  CHECK((y == std::vector<double>{102, 0, 430}));
  const auto seconds = time_products({starts, columns, values}, 1000, 3);
  CHECK_EQUAL(seconds.size(), 3U);
  for (const double time : seconds) CHECK(time > 0);
}

TEST("measure/a matrix that would be read beyond its end is refused") {
  const std::vector<std::int32_t> starts{0, 1, 2}, outside{0, 2}, one{0}, rising{0, 2, 1};
  const std::vector<double> values{1, 1};
  CHECK_THROWS(UserError, (void)time_products({starts, outside, values}, 1, 1));
  CHECK_THROWS(UserError, (void)time_products({starts, one, values}, 1, 1));
  CHECK_THROWS(UserError, (void)time_products({rising, outside, values}, 1, 1));
  CHECK_THROWS(UserError, (void)time_products({one, outside, values}, 1, 1));
}

TEST("measure/each trial of the triad takes time, on any number of threads") {
  for (const int threads : {1, 2, 3}) {
    const auto seconds = time_triad(10007, threads, 4);
    CHECK_EQUAL(seconds.size(), 4U);
    for (const double time : seconds) CHECK(time > 0);
  }
  CHECK_THROWS(InternalError, (void)time_triad(2, 3, 1));
}

}  // namespace
}  // namespace odonata::tests::test_kernels
