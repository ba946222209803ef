#include "odonata/measure/products.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void check(const SparseRows& A) {
  const auto& starts = A.row_starts;
  const auto nonzeros = static_cast<std::int32_t>(A.values.size());
  if (starts.empty() || starts.front() != 0 || starts.back() != nonzeros ||
      !std::is_sorted(starts.begin(), starts.end()) || A.columns.size() != A.values.size())
    throw UserError("matrix: rows, columns and values don't fit each other");
  const auto rows = static_cast<std::int32_t>(starts.size() - 1);
  for (const std::int32_t column : A.columns)
    if (column < 0 || column >= rows)
      throw UserError("matrix: no such column", column, "0 to " + std::to_string(rows - 1));
}

}  // namespace

void multiply(const SparseRows& A, std::span<const double> x, std::span<double> y) {
  const std::size_t rows = A.row_starts.size() - 1;
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    const auto end = static_cast<std::size_t>(A.row_starts[row + 1]);
    for (auto i = static_cast<std::size_t>(A.row_starts[row]); i < end; ++i)
      sum += A.values[i] * x[A.columns[i]];
    y[row] = sum;
  }
}

std::vector<double> time_products(const SparseRows& A, int products, int trials) {
  check(A);
  const std::size_t rows = A.row_starts.size() - 1;
  std::vector<double> x(rows, 1.0), y(rows, 0.0), seconds;
  multiply(A, x, y);  // caches stay warm, as in a cycle
  for (int trial = 0; trial < trials; ++trial) {
    const double began = processor_seconds();
    for (int i = 0; i < products; ++i) {
      multiply(A, x, y);
      // The next product depends on this one, so none can be left out.
      if (rows > 0) x[0] = y[0] == x[0] ? x[0] : 1.0;
    }
    seconds.push_back(processor_seconds() - began);
  }
  if (std::isnan(std::accumulate(y.begin(), y.end(), 0.0)))
    throw UserError("matrix: a product is not a number");
  return seconds;
}

}  // namespace odonata
