#include "generator.hpp"

#include <optional>

#include "held.hpp"
#include "odonata/units/errors.hpp"

using namespace odonata;

namespace {

// Next value of the generator, given the result that it waited for; nothing when it has ended.
std::optional<Waiting> resume(nb::object& generator, const nb::object& value) {
  nb::object yielded;
  try {
    yielded = generator.attr("send")(value);
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_StopIteration)) return std::nullopt;
    throw;
  }
  if (!nb::isinstance<Waiting>(yielded))
    throw UserError(std::string("rank program: yields a ") + nb::type_name(yielded.type()).c_str() +
                    "; allowed: what rank.wait, send, recv, sendrecv, compute, ... return");
  return nb::cast<Waiting>(yielded);
}

std::optional<Waiting> resume_holding_gil(nb::object& generator, const Status* status) {
  nb::gil_scoped_acquire gil;
  return resume(generator, status == nullptr ? nb::none() : nb::cast(*status));
}

nb::object begin(const nb::object& function, const Rank& rank) {
  nb::gil_scoped_acquire gil;
  nb::object made = function(rank);
  if (!nb::hasattr(made, "send"))
    throw UserError("rank program: is not a generator function; write `yield rank.recv(...)`");
  return made;
}

/// Messages between two ranks are kept apart from messages of collectives, as in MPI.
Rank for_collectives(const Rank& rank) { return rank.with_context(~rank.context()); }

Task drive(Rank rank, nb::object function) {
  Held generator(begin(function, rank));
  std::optional<Waiting> next = resume_holding_gil(generator.object, nullptr);
  while (next) {
    Status status;
    if (next->algorithm != nullptr) {
      rank.enter(next->algorithm->operation, true);
      Task collective = next->algorithm->run(for_collectives(*next->rank), next->call);
      co_await collective;
      rank.leave();
    } else if (next->until >= 0) {
      co_await rank.sleep_until(next->until);
    } else {
      status = co_await rank.block_on(next->requests);
    }
    next = resume_holding_gil(generator.object, &status);
  }
}

}  // namespace

Runnable python_program(nb::object function) {
  return {[function](Rank rank) {
    nb::gil_scoped_acquire gil;
    return drive(std::move(rank), function);
  }};
}
