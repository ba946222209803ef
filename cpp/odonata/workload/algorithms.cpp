#include "odonata/workload/algorithms.hpp"

#include <algorithm>
#include <utility>

#include "odonata/units/errors.hpp"
#include "odonata/units/words.hpp"

namespace odonata {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& given,
                         const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  const auto nearest = std::min_element(known.begin(), known.end(), [&](auto& a, auto& b) {
    return edit_distance(given, a) < edit_distance(given, b);
  });
  const bool near = edit_distance(given, *nearest) <= std::max<std::size_t>(2, given.size() / 3);
  throw UserError(Fault{what + ": unknown", given, all, near ? *nearest : std::string()});
}

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = {
#define ODONATA_ALGORITHM(operation, name, sent, summary)                                          \
  {#operation, #name, summary, operation::name, sent},
#define ODONATA_SHARED_ALGORITHM(operation, folder, name, sent, summary)                           \
  {#operation, #name, summary, folder::name, sent},
#define ODONATA_PATTERN(operation, name, sent, summary)
#include "odonata/workload/algorithms.inc"
#undef ODONATA_ALGORITHM
#undef ODONATA_SHARED_ALGORITHM
#undef ODONATA_PATTERN
  };
  return all;
}

const std::vector<Algorithm>& point_to_point_patterns() {
  static const std::vector<Algorithm> all = {
#define ODONATA_ALGORITHM(operation, name, sent, summary)
#define ODONATA_SHARED_ALGORITHM(operation, folder, name, sent, summary)
#define ODONATA_PATTERN(operation, name, sent, summary)                                            \
  {#operation, #name, summary, point_to_point::operation, sent},
#include "odonata/workload/algorithms.inc"
#undef ODONATA_ALGORITHM
#undef ODONATA_SHARED_ALGORITHM
#undef ODONATA_PATTERN
  };
  return all;
}

const Algorithm& algorithm(const std::string& operation, const std::string& name) {
  for (const Algorithm& a : point_to_point_patterns())
    if (a.operation == operation && a.name == name) return a;
  std::vector<std::string> names;
  for (const Algorithm& a : algorithms()) {
    if (a.operation != operation) continue;
    if (a.name == name) return a;
    names.push_back(a.name);
  }
  static_cast<void>(collective_of(operation));
  names.push_back("auto");
  refuse("algorithm of " + operation, name, names);
}

trace::Collective collective_of(const std::string& operation) {
  if (const auto found = trace::collective_named(operation)) return *found;
  std::vector<std::string> names;
  for (const auto& row : trace::collective_operations) names.emplace_back(row.name);
  refuse("operation", operation, names);
}

}  // namespace odonata
