// Categories of a rank's time. Every picosecond belongs to exactly one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "odonata/engine/way.hpp"
#include "odonata/machine/machine.hpp"
#include "odonata/mpi/work.hpp"

namespace odonata {

/// Categories that do not depend on links; link categories follow, each by class of the link.
enum class Category : std::uint8_t {
#define ODONATA_CATEGORY(name, ...) name,
#include "odonata/explain/kinds.inc"
  count,
};
enum class LinkCategory : std::uint8_t {
#define ODONATA_LINK_CATEGORY(name, ...) name,
#include "odonata/explain/kinds.inc"
  count,
};
inline constexpr auto num_common = static_cast<std::size_t>(Category::count);
inline constexpr auto num_link_categories = static_cast<std::size_t>(LinkCategory::count);

/// Kinds of a rank's time in a timeline.
enum class Shown : std::uint8_t {
#define ODONATA_SHOWN(name, ...) name,
#include "odonata/explain/kinds.inc"
  count,
};

/// Steps of a rank in the record of a result.
enum class Step : std::uint8_t {
#define ODONATA_STEP(name, category) name,
#define ODONATA_WAIT(name, words) name,
#include "odonata/explain/kinds.inc"
};

/// The step that a kind of work is recorded as. Compilers refuse a kind of work without a row.
[[nodiscard]] constexpr Step step_of(Work work) {
  switch (work) {
#define ODONATA_WORK(work, step)                                                                   \
  case Work::work: return Step::step;
#include "odonata/explain/kinds.inc"
  }
  return Step::wait;
}

/// Category of a step that is work, or a pause.
[[nodiscard]] constexpr Category category_of(Step step) {
  switch (step) {
#define ODONATA_STEP(name, category)                                                               \
  case Step::name: return Category::category;
#define ODONATA_WAIT(name, words)                                                                  \
  case Step::name: break;
#include "odonata/explain/kinds.inc"
  }
  return Category::count;
}

/// Kind of a category in a timeline.
[[nodiscard]] constexpr Shown shown_as(Category category) {
  switch (category) {
#define ODONATA_CATEGORY(name, shown, ...)                                                         \
  case Category::name: return Shown::shown;
#include "odonata/explain/kinds.inc"
    case Category::count: break;
  }
  return Shown::count;
}

/// Categories of one machine, by number.
class Categories {
 public:
  explicit Categories(const Machine& machine);

  [[nodiscard]] std::size_t count() const {
    return num_common + num_link_categories * num_classes_;
  }
  /// Names: "send_overhead", "queueing.global", "credit.local", ...
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] static std::size_t of(Work work) {
    return of(of_work[static_cast<std::size_t>(work)]);
  }
  /// Category of a piece of the way of a message that a rank waits for.
  [[nodiscard]] std::size_t of(const Piece& piece) const {
    return of_part_[places_[piece.link()]][static_cast<std::size_t>(piece.part())];
  }
  [[nodiscard]] static constexpr std::size_t of(Category category) {
    return static_cast<std::size_t>(category);
  }

 private:
  static constexpr auto of_work = [] {
    std::array<Category, num_works> all{};
    for (std::size_t work = 0; work < all.size(); ++work)
      all[work] = category_of(step_of(static_cast<Work>(work)));
    return all;
  }();
  using Row = std::array<std::uint16_t, std::bit_ceil(num_way_parts)>;

  [[nodiscard]] std::size_t of(WayPart part, std::size_t link_class, bool injects,
                               bool ejects) const;
  [[nodiscard]] std::size_t of(LinkCategory category, std::size_t link_class) const {
    return num_common + static_cast<std::size_t>(category) * num_classes_ + link_class;
  }

  const Machine* machine_;
  std::size_t num_classes_;
  std::vector<Row> of_part_;  // by class of the link, and which end of a way it is
  std::vector<std::uint16_t> places_;  // row of each link
};

}  // namespace odonata
