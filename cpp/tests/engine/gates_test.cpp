#include "odonata/engine/gates.hpp"

#include <string>

#include "check.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::gates_test {

namespace {

/// The loss of a gate; empty without one.
std::string missing(const Gates& gates) {
  try {
    gates.check_conservation();
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

bool holds(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST("gates/bytes count until the sources know that they have arrived") {
  Gates gates(2, 100, 7);
  CHECK(gates.admits(0, 60, 0));
  gates.enter(0, 60);
  CHECK(!gates.admits(0, 60, 0));
  CHECK(gates.admits(0, 40, 0));
  CHECK(gates.admits(1, 60, 0));
  CHECK_EQUAL(gates.leave(0, 60, 10), Time{17});
  CHECK(!gates.admits(0, 60, 16));
  CHECK_EQUAL(gates.next_room(0), Time{17});
  CHECK(gates.admits(0, 60, 17));
  CHECK_EQUAL(gates.next_room(0), never);
  CHECK_EQUAL(missing(gates), "");
}

TEST("gates/a packet that is larger than the window passes alone") {
  Gates gates(1, 100, 7);
  CHECK(gates.admits(0, 300, 0));
  gates.enter(0, 300);
  CHECK(!gates.admits(0, 1, 0));
}

TEST("gates/nothing overtakes a source that waits") {
  Gates gates(3, 100, 7);
  gates.enter(0, 60);
  gates.wait(1, 0, 4);
  CHECK(gates.has_queue(0));
  CHECK(!gates.admits(0, 40, 0));
  CHECK(gates.admits(1, 40, 0));
}

TEST("gates/sources are granted a packet in turn, and their messages stay in order") {
  Gates gates(3, 100, 7);
  gates.wait(1, 0, 10);
  gates.wait(1, 0, 11);
  gates.wait(2, 0, 20);
  std::string order;
  for (int rest = 2; gates.has_queue(0);) {  // further packets of message 10
    const Gates::Grant grant = gates.grant(0, 1);
    order += std::to_string(grant.message) + " ";
    const bool more = grant.message == 10 && rest-- > 0;
    gates.started(grant.source, 0, more ? grant.message : Gates::none);
  }
  CHECK_EQUAL(order, "10 20 10 10 11 ");
  gates.leave(0, 5, 0);
  CHECK_EQUAL(missing(gates), "");
}

TEST("gates/a message that comes while its source has a grant waits behind its packet") {
  Gates gates(3, 100, 7);
  gates.wait(1, 0, 10);
  CHECK_EQUAL(gates.grant(0, 1).message, 10);
  gates.wait(1, 0, 11);
  CHECK(!gates.has_queue(0));
  CHECK(gates.started(1, 0, Gates::none));
  CHECK_EQUAL(gates.next_message(0), 11);
}

TEST("gates/losses are found") {
  Gates gates(2, 100, 7);
  gates.enter(1, 30);
  CHECK(holds(missing(gates), "gate of port 1: bytes on the way [B]"));
  gates.leave(1, 30, 0);
  CHECK_EQUAL(missing(gates), "");
  gates.wait(0, 1, 3);
  CHECK(holds(missing(gates), "gate of port 1: sources that wait"));
  gates.grant(1, 0);
  CHECK(holds(missing(gates), "all gates: sources with a grant"));
}

}  // namespace odonata::tests::gates_test
