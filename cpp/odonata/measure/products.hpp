// Products of a sparse matrix and a vector, timed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace odonata {

/// A sparse matrix by rows: row i has the range [row_starts[i], row_starts[i + 1]).
struct SparseRows {
  std::span<const std::int32_t> row_starts;  // [rows + 1]
  std::span<const std::int32_t> columns;     // [nonzeros]
  std::span<const double> values;            // [nonzeros]
};

/// y = A x.
void multiply(const SparseRows& A, std::span<const double> x, std::span<double> y);

/// Processor seconds of `products` products with x = 1, for each of `trials`; `A` is checked.
/// Processor time leaves out other processes' shares of the core. [trials]
[[nodiscard]] std::vector<double> time_products(const SparseRows& A, int products, int trials);

}  // namespace odonata
