#include "values.hpp"

#include "odonata/units/words.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace odonata::amg {
namespace {

template <class Number>
Number number(std::string_view option, std::string_view given, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error == std::errc{} && end == given.data() + given.size() && value >= least && value <= most)
    return value;
  std::ostringstream text;
  text << option << ": not a number, or out of range: " << given << "; allowed: " << least << " to "
       << most;
  throw UsageError(text.str());
}

double one_time(std::string_view option, std::string_view given) {
  const std::optional<double> seconds = quantity(given, time_units);
  if (seconds && *seconds <= 1) return *seconds;
  throw UsageError(std::string(option) + ": not a time: " + std::string(given) +
                   "; allowed: up to 1 s, with its unit (ps, ns, us, ms, s)");
}

}  // namespace

std::optional<double> quantity(std::string_view given, std::span<const Unit> units) {
  double value = 0;
  const char* last = given.data() + given.size();
  const auto [end, error] = std::from_chars(given.data(), last, value);
  if (error != std::errc{} || !(value >= 0)) return std::nullopt;
  const std::string_view name(end, std::size_t(last - end));
  for (const Unit& unit : units)
    if (unit.name == name) return value * unit.factor;
  return std::nullopt;
}

std::string unknown(std::string_view given, std::span<const std::string_view> known) {
  const auto nearest = std::min_element(known.begin(), known.end(), [&](auto a, auto b) {
    return edit_distance(given, a) < edit_distance(given, b);
  });
  std::string text = ": unknown: " + std::string(given);
  if (edit_distance(given, *nearest) <= 1 + given.size() / 4)
    text += " (did you mean " + std::string(*nearest) + "?)";
  text += "; allowed: ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i ? ", " : "") + std::string(known[i]);
  return text;
}

Choice choose(std::string_view option, std::string_view given, std::span<const Choice> choices) {
  std::vector<std::string_view> names;
  for (const Choice& choice : choices) {
    if (choice.name == given) return choice;
    names.push_back(choice.name);
  }
  throw UsageError(std::string(option) + unknown(given, names));
}

int whole_number(std::string_view option, std::string_view given, int least, int most) {
  return number(option, given, least, most);
}

double real_number(std::string_view option, std::string_view given, double least, double most) {
  return number(option, given, least, most);
}

Triple triple(std::string_view option, std::string_view given) {
  constexpr int most = 100'000;
  Triple sides{};
  std::string_view rest = given;
  for (int& side : sides) {
    const std::size_t end = rest.find('x');
    const bool last = &side == &sides.back();
    if ((end == rest.npos) != last)
      throw UsageError(std::string(option) +
                       ": not three numbers such as 50x50x25: " + std::string(given));
    side = whole_number(option, rest.substr(0, end), 1, most);
    rest = last ? "" : rest.substr(end + 1);
  }
  return sides;
}

double time(std::string_view option, std::string_view given) { return one_time(option, given); }

double size(std::string_view option, std::string_view given) {
  const std::optional<double> bytes = quantity(given, size_units);
  if (bytes && *bytes > 0 && *bytes <= 1e15) return *bytes;
  throw UsageError(std::string(option) + ": not a size: " + std::string(given) +
                   "; allowed: more than 0 B, with its unit (B, KiB, MiB, GiB)");
}

std::vector<double> times(std::string_view option, std::string_view given) {
  std::vector<double> all;
  for (std::string_view rest = given;;) {
    const std::size_t comma = rest.find(',');
    all.push_back(one_time(option, rest.substr(0, comma)));
    if (comma == rest.npos) return all;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace odonata::amg
