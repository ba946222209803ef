// Messages that do not fit their receive buffers.
#include <array>

#include "preload/libmpi/core/point_to_point/point_to_point.hpp"
#include "team.hpp"

namespace odonata::libmpi::tests::message_test {

using odonata::trace::Mode;

namespace {

// Result of receiving `sent` bytes into integers.
ErrorClass received(std::int64_t sent, std::int64_t integers) {
  std::array<int, 4> from{}, into{};
  const Peer me{.comm = self().world, .rank = 0, .tag = 3};
  send(Function::Send, {from.data(), sent, named_type(NamedType::T_CHAR)}, me, Mode::standard);
  try {
    recv(Function::Recv, {into.data(), integers, named_type(NamedType::T_INT)}, me);
  } catch (const Error& error) {
    return error.error_class;
  }
  return ErrorClass::success;
}

}  // namespace

TEST("libmpi/messages end with an element, and within the buffer") {
  team::run(1, [] {
    CHECK(received(8, 2) == ErrorClass::success);
    CHECK(received(4, 2) == ErrorClass::success);
    CHECK(received(0, 2) == ErrorClass::success);
    CHECK(received(7, 2) == ErrorClass::type);
    CHECK(received(9, 2) == ErrorClass::truncate);
    CHECK(received(8, 2) == ErrorClass::success);  // refused messages are gone
  });
}

}  // namespace odonata::libmpi::tests::message_test
