#include <utility>

#include "odonata/machine/families/fat_tree/routing.hpp"
#include "odonata/machine/families/fat_tree/tree.hpp"

namespace odonata {

namespace {

// Loads by counting, as FatTreeRouting goes.
class FatTreeFlow {
 public:
  FatTreeFlow(const Machine& machine, const Tree& tree, std::vector<double>& load)
      : machine_(machine), tree_(tree), load_(load) {}

  // The traffic of a node takes one way; a router's nodes have the same traffic.
  void run_fixed(const TrafficMatrix& traffic, bool by_target) {
    const std::int32_t lowest = tree_.tier(0).pods;
    for (std::int32_t a = 0; a < lowest; ++a)
      for (std::int32_t b = 0; b < lowest; ++b)
        for (std::int32_t i = 0; i < tree_.nodes_each() && traffic.row(a)[b] > 0; ++i)
          send(a, b, (by_target ? b : a) * tree_.nodes_each() + i,
               traffic.row(a)[b] / tree_.nodes_each());
  }

  // All links between a pod and the routers above it carry alike.
  void run_spread(const TrafficMatrix& traffic) {
    for (std::size_t t = 0; t + 1 < tree_.num_tiers(); ++t) {
      const Tree::Tier& tier = tree_.tier(t);
      std::vector<double> leaves(tier.pods), enters(tier.pods);
      for (std::int32_t a = 0; a < tree_.tier(0).pods; ++a)
        for (std::int32_t b = 0; b < tree_.tier(0).pods; ++b) {
          if (a / tier.below == b / tier.below) continue;
          leaves[a / tier.below] += traffic.row(a)[b];
          enters[b / tier.below] += traffic.row(a)[b];
        }
      spread(t, leaves, enters);
    }
  }

 private:
  void send(std::int32_t from, std::int32_t to, std::int32_t node, double rate) {
    std::size_t t = 0;
    std::int32_t here = from;
    for (; from / tree_.tier(t).below != to / tree_.tier(t).below; ++t)
      here = take(here, tree_.port_for(t, node), rate);
    for (; t > 0; --t) {
      const Tree::Tier& below = tree_.tier(t - 1);
      const std::int32_t child = to / below.below % tree_.tier(t).children;
      const std::int32_t cable = tree_.port_for(t - 1, node) / below.parents;
      here = take(here, tree_.link_down(t, child) + cable, rate);
    }
  }

  std::int32_t take(std::int32_t router, std::int32_t link, double rate) {
    load_[machine_.first_link[router] + link] += rate;
    return machine_.links[machine_.first_link[router] + link].to;
  }

  void spread(std::size_t t, const std::vector<double>& leaves, const std::vector<double>& enters) {
    const Tree::Tier& tier = tree_.tier(t);
    const Tree::Tier& above = tree_.tier(t + 1);
    const double links = static_cast<double>(tier.copies) * tier.ports();
    for (std::int32_t r = tier.first; r < above.first; ++r)
      for (std::int32_t q = 0; q < tier.ports(); ++q) take(r, q, leaves[tree_.pod_of(r)] / links);
    for (std::int32_t r = above.first; r < above.first + above.pods * above.copies; ++r)
      for (std::int32_t child = 0; child < above.children; ++child)
        for (std::int32_t cable = 0; cable < tier.cables; ++cable)
          take(r, tree_.link_down(t + 1, child) + cable,
               enters[tree_.pod_of(r) * above.children + child] / links);
  }

  const Machine& machine_;
  const Tree& tree_;
  std::vector<double>& load_;
};

}  // namespace

void FatTreeTopology::add_loads(const Machine& machine, const std::string& policy,
                                TrafficMatrix traffic, std::vector<double>& load) const {
  FatTreeFlow flow(machine, tree_, load);
  const Up up = up_named(policy);
  if (up == Up::random) return flow.run_spread(traffic);
  flow.run_fixed(traffic, up == Up::d_mod_k);
}

}  // namespace odonata
