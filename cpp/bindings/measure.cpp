// odonata._core: kernels that are timed on the machine at hand.
#include <nanobind/ndarray.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "odonata/measure/products.hpp"
#include "odonata/measure/triad.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

template <class T>
using Given = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span(const Given<T>& given) {
  return {given.data(), given.size()};
}

}  // namespace

void bind_measure(nb::module_& m) {
  m.def(
      "time_triad",
      [](std::int64_t values, int threads, int trials) {
        std::vector<double> seconds;
        {
          const nb::gil_scoped_release others_may_run;
          seconds = time_triad(values, threads, trials);
        }
        return to_array(std::move(seconds));
      },
      "values"_a, "threads"_a, "trials"_a);
  m.def(
      "time_products",
      [](const Given<std::int32_t>& row_starts, const Given<std::int32_t>& columns,
         const Given<double>& values, int products, int trials) {
        return to_array(
            time_products({span(row_starts), span(columns), span(values)}, products, trials));
      },
      "row_starts"_a, "columns"_a, "values"_a, "products"_a, "trials"_a);
}
