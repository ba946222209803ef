#include "odonata/workload/algorithms.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
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

// Parameters that algorithms take: the least value, the value where none is given, and whether it
// is a size.
struct Parameter {
  const char* allowed;
  std::int64_t least;
  std::int64_t standard;
};
constexpr Parameter segment{"a size of at least 1B, such as 64KiB", 1, 0};
constexpr Parameter radix_two{"a radix of at least 2", 2, 2};
constexpr Parameter radix_four{"a radix of at least 2", 2, 4};

// A number with or without a binary unit: 4, 65536, 64KiB.
std::optional<std::int64_t> value_of(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return std::nullopt;
  const std::string unit(rest, end);
  if (unit.empty() || unit == "B") return value;
  for (const auto& [name, bits] : {std::pair{"KiB", 10}, {"MiB", 20}, {"GiB", 30}})
    if (unit == name && value <= (INT64_MAX >> bits)) return value << bits;
  return std::nullopt;
}

// Without a size of segments, all is one segment.
Algorithm tuned(const Algorithm& plain, Parameter parameter, Task (*run)(Rank, Call),
                sent::TunedFormula* sent, std::int64_t value) {
  Algorithm made = plain;
  made.run = [run, value](Rank rank, Call call) {
    call.parameter = value;
    return run(std::move(rank), call);
  };
  made.sent = [sent, value](int ranks, Bytes block, int root) {
    return sent(ranks, block, root, value);
  };
  made.with = [plain, parameter, run, sent](const std::string& text) {
    const auto other = value_of(text);
    if (!other || *other < parameter.least)
      throw UserError("algorithm " + plain.operation + "/" + plain.name, text, parameter.allowed);
    return tuned(plain, parameter, run, sent, *other);
  };
  return made;
}

Algorithm tuned(const Algorithm& plain, Parameter parameter, Task (*run)(Rank, Call),
                sent::TunedFormula* sent) {
  return tuned(plain, parameter, run, sent, parameter.standard);
}

// Algorithms with values of their parameters: a name means the same everywhere.
const Algorithm& with_value(const Algorithm& plain, const std::string& name,
                            const std::string& text) {
  static std::mutex one_at_a_time;
  static std::map<std::pair<std::string, std::string>, Algorithm> made;
  if (!plain.with)
    throw UserError("algorithm " + plain.operation + "/" + plain.name + ": takes no parameter",
                    text, plain.name);
  const std::lock_guard guard(one_at_a_time);
  const auto known = made.find({plain.operation, name});
  if (known != made.end()) return known->second;
  Algorithm with = plain.with(text);
  with.name = name;
  return made.emplace(std::pair{plain.operation, name}, std::move(with)).first->second;
}

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = {
#define ODONATA_ALGORITHM(operation, name, sent, summary)                                          \
  {#operation, #name, summary, operation::name, sent},
#define ODONATA_TUNED_ALGORITHM(operation, name, parameter, sent, summary)                         \
  tuned({#operation, #name, summary, {}}, parameter, operation::name, sent),
#define ODONATA_SHARED_ALGORITHM(operation, folder, name, sent, summary)                           \
  {#operation, #name, summary, folder::name, sent},
#define ODONATA_PATTERN(operation, name, sent, summary)
#include "odonata/workload/algorithms.inc"
#undef ODONATA_ALGORITHM
#undef ODONATA_TUNED_ALGORITHM
#undef ODONATA_SHARED_ALGORITHM
#undef ODONATA_PATTERN
  };
  return all;
}

const std::vector<Algorithm>& point_to_point_patterns() {
  static const std::vector<Algorithm> all = {
#define ODONATA_ALGORITHM(operation, name, sent, summary)
#define ODONATA_TUNED_ALGORITHM(operation, name, parameter, sent, summary)
#define ODONATA_SHARED_ALGORITHM(operation, folder, name, sent, summary)
#define ODONATA_PATTERN(operation, name, sent, summary)                                            \
  {#operation, #name, summary, point_to_point::operation, sent},
#include "odonata/workload/algorithms.inc"
#undef ODONATA_ALGORITHM
#undef ODONATA_TUNED_ALGORITHM
#undef ODONATA_SHARED_ALGORITHM
#undef ODONATA_PATTERN
  };
  return all;
}

const Algorithm& algorithm(const std::string& operation, const std::string& name) {
  for (const Algorithm& a : point_to_point_patterns())
    if (a.operation == operation && a.name == name) return a;
  const std::size_t colon = name.find(':');
  const std::string plain = name.substr(0, colon);
  std::vector<std::string> names;
  for (const Algorithm& a : algorithms()) {
    if (a.operation != operation) continue;
    if (a.name == plain)
      return colon == std::string::npos ? a : with_value(a, name, name.substr(colon + 1));
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
