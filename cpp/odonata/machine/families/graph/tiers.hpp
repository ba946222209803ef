// Routes that go up and then down: the common part of the engines updown and dmodk.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "odonata/machine/families/graph/routes.hpp"

namespace odonata {

/// Links that a router has toward the nodes, or away from them, all as good. Where one link to a
/// router is among them, all cables to that router are.
using LinkChoices = std::span<const std::int32_t>;

/// Finds routes that never go up after they went down, down where a way down is there. `height`
/// orders the routers: a link to a higher one goes up; equals count by number, the lower is higher.
class Tiers {
 public:
  Tiers(const Machine& machine, std::vector<std::int32_t> height);

  /// Chooses one of some links for a port; `down`: they lead down.
  using Choose = std::function<std::int32_t(const LinkChoices& links, std::int32_t router,
                                            std::int32_t port, bool down)>;
  /// Chooses for all ports in the order of their numbers, or in another one.
  [[nodiscard]] Routes route(const Choose& choose) const;
  [[nodiscard]] Routes route(const std::vector<std::int32_t>& ports, const Choose& choose) const;

 private:
  using Lengths = std::vector<std::int32_t>;

  struct Toward {  // the ways to one router
    Lengths down;
    std::vector<std::int32_t> links;      // choices of one router after the other
    std::vector<std::size_t> first = {0};  // [routers + 1] in links

    [[nodiscard]] LinkChoices choices(std::int32_t router) const {
      const auto r = static_cast<std::size_t>(router);
      return {links.data() + first[r], links.data() + first[r + 1]};
    }
  };

  [[nodiscard]] bool goes_up(std::int32_t link) const;
  [[nodiscard]] Lengths ways_down(std::int32_t to) const;
  void climb(const Lengths& down, Lengths& all) const;
  [[nodiscard]] Toward choices_toward(std::int32_t to) const;

  const Machine& machine_;
  std::vector<std::int32_t> height_;
  std::vector<std::int32_t> highest_first_;
};

/// Links from each router to the nearest one of some, all of which have 0; -1 where none is near.
[[nodiscard]] std::vector<std::int32_t> distances_from(const Machine& machine,
                                                       const std::vector<std::int32_t>& sources);

/// The routers that have ports of nodes.
[[nodiscard]] std::vector<std::int32_t> leaves_of(const Machine& machine);

}  // namespace odonata
