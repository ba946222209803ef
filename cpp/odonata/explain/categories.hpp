// Categories of a rank's time. Every picosecond belongs to exactly one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "odonata/engine/way.hpp"
#include "odonata/explain/work.hpp"
#include "odonata/machine/machine.hpp"

namespace odonata {

/// Kinds of time; those of queues and credits follow by link class.
enum class Category : std::uint8_t {
  computing,
  send_overhead,
  receive_overhead,
  copying,
  reducing,
  matching,            // searches of queues, looks at requests, tests that found nothing
  pausing,             // a program waits for a time of its own
  late_sender,
  late_receiver,
  late_in_collective,  // a partner, in a blocking collective
  rendezvous,          // requests to send and their answers
  inside_node,
  injection_queue,
  serialization,       // at the NIC
  wire,                // links and routers
  transmission,        // on links that are slower than those before
  ejection,            // the wire of the last link
};
inline constexpr std::size_t num_common = 17;

/// Kinds of time that most ranks have again and again, each in a category; that of a late partner
/// depends on the call.
enum class Usual : std::uint8_t {
  send,
  receive,
  pausing,
  late,
  serialization,
  wire,
  transmission,
  ejection,
  none
};
inline constexpr auto num_usual = static_cast<std::size_t>(Usual::none);

/// Categories of one machine, by number.
class Categories {
 public:
  /// Pieces of links have categories only if they are wanted.
  Categories(const Machine& machine, bool of_links);

  [[nodiscard]] std::size_t count() const { return num_common + 2 * num_classes_; }
  /// Names: "send_overhead", "queueing.global", "credit.local", ...
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] static std::size_t of(Work work) {
    return of(of_work[static_cast<std::size_t>(work)]);
  }
  [[nodiscard]] static constexpr std::size_t of(Usual usual, bool collective) {
    constexpr std::array<Category, num_usual> all{
        Category::send_overhead, Category::receive_overhead, Category::pausing,
        Category::late_sender,   Category::serialization,    Category::wire,
        Category::transmission,  Category::ejection};
    if (usual == Usual::late && collective) return of(Category::late_in_collective);
    return of(all[static_cast<std::size_t>(usual)]);
  }
  [[nodiscard]] static Usual usual_of(Work work) {
    return usual_work[static_cast<std::size_t>(work)];
  }
  /// Category of a piece of the way of a message that a rank waits for.
  [[nodiscard]] std::size_t of(const Piece& piece) const {
    return of_part_[places_[piece.link()]][static_cast<std::size_t>(piece.part())];
  }
  /// The same for a piece that has a place in place of its link.
  [[nodiscard]] std::size_t of_placed(const Piece& piece) const {
    return of_part_[piece.link()][static_cast<std::size_t>(piece.part())];
  }
  [[nodiscard]] static constexpr std::size_t of(Category category) {
    return static_cast<std::size_t>(category);
  }

 private:
  static constexpr std::array<Category, num_works> of_work{
      Category::computing,        Category::send_overhead,    Category::send_overhead,
      Category::receive_overhead, Category::receive_overhead, Category::copying,
      Category::reducing,         Category::matching,         Category::matching,
      Category::matching,         Category::send_overhead,    Category::send_overhead,
      Category::receive_overhead, Category::receive_overhead, Category::send_overhead,
      Category::send_overhead,    Category::receive_overhead, Category::receive_overhead};
  static constexpr std::array<Usual, num_works> usual_work = [] {
    std::array<Usual, num_works> all{};
    for (std::size_t work = 0; work < all.size(); ++work)
      all[work] = of_work[work] == Category::send_overhead      ? Usual::send
                  : of_work[work] == Category::receive_overhead ? Usual::receive
                                                                : Usual::none;
    return all;
  }();
  using Row = std::array<std::uint16_t, std::bit_ceil(num_way_parts)>;

  [[nodiscard]] std::size_t of(WayPart part, std::size_t link_class, bool injects,
                               bool ejects) const;

  const Machine* machine_;
  std::size_t num_classes_;
  std::vector<Row> of_part_;  // a row for each place
  std::vector<std::uint16_t> places_;  // by link, if they are wanted
};

}  // namespace odonata
