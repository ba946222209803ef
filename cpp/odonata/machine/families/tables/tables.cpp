#include "odonata/machine/families/tables/tables.hpp"

#include "odonata/machine/families/tables/routing.hpp"

namespace odonata {

std::unique_ptr<Routing> TableTopology::routing(const Machine& machine,
                                                const RoutingOptions& options) const {
  return std::make_unique<TableRouting>(machine, options, partial_);
}

}  // namespace odonata
