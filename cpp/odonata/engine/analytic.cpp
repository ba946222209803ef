#include "odonata/engine/analytic.hpp"

#include "odonata/engine/analytic_impl.hpp"

namespace odonata {

template class AnalyticNetwork<NoObserver>;

}  // namespace odonata
