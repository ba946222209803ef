#include "odonata/machine/dimensions.hpp"

#include <algorithm>
#include <numeric>

#include "odonata/machine/basics.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

std::int32_t routers_of(const std::vector<std::int32_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int32_t{1}, std::multiplies<>());
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string dimension_name(std::size_t dimension) {
  static const std::string letters = "xyzwvu";
  if (dimension < letters.size()) return {letters[dimension]};
  return "d" + std::to_string(dimension + 1);
}

std::vector<std::string> dimension_axes(std::size_t dimensions) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < dimensions; ++d) names.push_back(dimension_name(d));
  return names;
}

std::vector<Level> nested_levels(const std::vector<std::int32_t>& sizes) {
  std::vector<Level> levels;
  std::string name;
  std::int32_t block = 1;
  for (std::size_t d = 0; d + 1 < sizes.size(); ++d) {
    name += dimension_name(d);
    block *= sizes[d];
    const char* kind = d == 0 ? "-line" : d == 1 ? "-plane" : "-block";
    levels.push_back(level_of_blocks(name + kind, routers_of(sizes), block));
  }
  return levels;
}

std::vector<Level> planes_across(const std::vector<std::int32_t>& sizes) {
  std::vector<Level> across;
  std::int32_t stride = 1;
  for (std::size_t d = 0; d < sizes.size(); stride *= sizes[d++]) {
    Level level{dimension_name(d) + "-plane", sizes[d], {}};
    for (std::int32_t r = 0; r < routers_of(sizes); ++r)
      level.of_router.push_back(r / stride % sizes[d]);
    across.push_back(std::move(level));
  }
  return across;
}

void check_per_dimension(const std::string& what, const std::vector<std::int32_t>& values,
                         std::size_t dimensions) {
  if (values.empty()) return;
  const auto count = static_cast<std::int64_t>(dimensions);
  check_range(what + ": number of dimensions", static_cast<std::int64_t>(values.size()), count,
              count);
}

void check_class_names(const std::vector<LinkClass>& classes, const std::vector<std::string>& names,
                       std::size_t dimensions) {
  std::vector<std::string> given;
  for (const LinkClass& c : classes) given.push_back(c.name);
  if (given == names) return;
  throw UserError("links: classes of " + std::to_string(dimensions) +
                      " dimensions, besides injection and ejection",
                  given.empty() ? "none" : joined(given), joined(names) + ", in this order");
}

}  // namespace odonata
