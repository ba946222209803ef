#include "odonata/engine/analytic.hpp"

#include "odonata/engine/analytic_impl.hpp"

namespace odonata {

template class AnalyticNetwork<NoObserver>;
template class AnalyticNetwork<Logging>;

}  // namespace odonata
