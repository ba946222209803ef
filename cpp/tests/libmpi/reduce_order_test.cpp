// Orders of reductions, written as brackets.
#include "preload/libmpi/core/collectives/reduce_order.hpp"

#include <string>

#include "check.hpp"

namespace odonata::libmpi::tests::reduce_order_test {

namespace {

template <class Order>
std::string brackets(Order order, int n) {
  std::vector<std::string> operands;
  for (int i = 0; i < n; ++i) operands.push_back(std::to_string(i));
  const int result = order(n, [&](int left, int right) {
    std::string& to = operands[right];
    to = "(" + operands[left] + to + ")";
  });
  return operands[result];
}

}  // namespace

TEST("libmpi/reduce_order/recursive doubling") {
  CHECK_EQUAL(brackets(recursive_doubling, 1), "0");
  CHECK_EQUAL(brackets(recursive_doubling, 3), "((01)2)");
  CHECK_EQUAL(brackets(recursive_doubling, 5), "(((01)2)(34))");
  CHECK_EQUAL(brackets(recursive_doubling, 7), "(((01)(23))((45)6))");
  CHECK_EQUAL(brackets(recursive_doubling, 8), "(((01)(23))((45)(67)))");
}

TEST("libmpi/reduce_order/recursive halving") {
  CHECK_EQUAL(brackets(recursive_halving, 1), "0");
  CHECK_EQUAL(brackets(recursive_halving, 4), "((02)(13))");
  CHECK_EQUAL(brackets(recursive_halving, 7), "(((01)(45))((23)6))");
  CHECK_EQUAL(brackets(recursive_halving, 8), "(((04)(26))((15)(37)))");
}

TEST("libmpi/reduce_order/binomial tree") {
  CHECK_EQUAL(brackets(binomial_tree, 1), "0");
  CHECK_EQUAL(brackets(binomial_tree, 5), "(((01)(23))4)");
  CHECK_EQUAL(brackets(binomial_tree, 7), "(((01)(23))((45)6))");
}

TEST("libmpi/reduce_order/scan") {
  CHECK_EQUAL(brackets(scan_order, 1), "0");
  CHECK_EQUAL(brackets(scan_order, 6), "(((01)(23))(45))");
  CHECK_EQUAL(brackets(scan_order, 7), "(((01)(23))((45)6))");
}

}  // namespace odonata::libmpi::tests::reduce_order_test
