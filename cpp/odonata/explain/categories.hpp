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

/// Categories of one machine, by number.
class Categories {
 public:
  explicit Categories(const Machine& machine);

  [[nodiscard]] std::size_t count() const { return num_common + 2 * num_classes_; }
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
  static constexpr std::array<Category, num_works> of_work{
      Category::computing,        Category::send_overhead,    Category::send_overhead,
      Category::receive_overhead, Category::receive_overhead, Category::copying,
      Category::reducing,         Category::matching,         Category::matching,
      Category::matching,         Category::send_overhead,    Category::send_overhead,
      Category::receive_overhead, Category::receive_overhead, Category::send_overhead,
      Category::send_overhead,    Category::receive_overhead, Category::receive_overhead};
  using Row = std::array<std::uint16_t, std::bit_ceil(num_way_parts)>;

  [[nodiscard]] std::size_t of(WayPart part, std::size_t link_class, bool injects,
                               bool ejects) const;

  const Machine* machine_;
  std::size_t num_classes_;
  std::vector<Row> of_part_;  // by class of the link, and which end of a way it is
  std::vector<std::uint16_t> places_;  // row of each link
};

}  // namespace odonata
