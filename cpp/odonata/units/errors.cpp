#include "odonata/units/errors.hpp"

#include <sstream>

namespace odonata {
namespace {

// Writes values as Python does.
struct Writer {
  std::ostream& out;
  void operator()(std::monostate) const {}
  void operator()(std::int64_t number) const { out << ": " << number; }
  void operator()(double number) const { out << ": " << number; }
  void operator()(const std::string& text) const { out << ": '" << text << "'"; }
};

}  // namespace

std::string text_of(const Fault& fault) {
  std::ostringstream out;
  out << fault.what;
  std::visit(Writer{out}, fault.value);
  if (!fault.near.empty()) out << "; did you mean '" << fault.near << "'?";
  if (!fault.allowed.empty()) out << "; allowed: " << fault.allowed;
  return out.str();
}

UserError::UserError(Fault fault)
    : std::invalid_argument(text_of(fault)),
      fault_(std::make_shared<const Fault>(std::move(fault))) {}

ConservationError::ConservationError(const std::string& place, const std::string& quantity,
                                     std::int64_t found, std::int64_t expected)
    : InternalError("conservation: " + place + ": " + quantity + ": " + std::to_string(found) +
                    "; expected: " + std::to_string(expected)),
      place_(std::make_shared<const std::string>(place)),
      found_(found),
      expected_(expected) {}

}  // namespace odonata
