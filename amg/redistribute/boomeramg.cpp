#include "amg/redistribute/boomeramg.hpp"

#include "amg/values.hpp"

#include <algorithm>

namespace odonata::amg {
namespace {

constexpr int places_of_a_cycle = 4;  // all, down, up, coarsest

template <class T>
T* allocate(std::size_t size) {
  return hypre_CTAlloc(T, size, HYPRE_MEMORY_HOST);
}

HYPRE_Int* copy_of_places(const HYPRE_Int* from) {
  auto* copy = allocate<HYPRE_Int>(places_of_a_cycle);
  std::copy_n(from, places_of_a_cycle, copy);
  return copy;
}

// The weights of the levels from `first` on.
HYPRE_Real* copy_of_weights(const HYPRE_Real* from, int levels, int first) {
  if (!from) return nullptr;
  auto* copy = allocate<HYPRE_Real>(std::size_t(std::max(levels, 2)));
  std::copy(from + std::min(first, levels), from + levels, copy);
  return copy;
}

hypre_IntArray* int_array(const std::vector<HYPRE_Int>& values) {
  if (values.empty()) return nullptr;
  hypre_IntArray* array = hypre_IntArrayCreate(HYPRE_Int(values.size()));
  hypre_IntArrayInitialize(array);
  std::copy(values.begin(), values.end(), hypre_IntArrayData(array));
  return array;
}

HYPRE_Int levels_left(HYPRE_Int levels, int level) { return std::max(levels - level, 0); }

}  // namespace

BuildState first_state(const hypre_ParAMGData& configured, std::size_t local_rows) {
  const hypre_ParAMGData* data = &configured;
  BuildState state;
  state.coarsen_type = hypre_ParAMGDataCoarsenType(data);
  if (const hypre_IntArray* given = hypre_ParAMGDataDofFunc(data))
    state.dof_func.assign(hypre_IntArrayData(given), hypre_IntArrayData(given) + local_rows);
  return state;
}

void check_supported(const hypre_ParAMGData& configured) {
  const hypre_ParAMGData* data = &configured;
  const auto refuse = [](bool wrong, const char* what) {
    if (wrong) throw UsageError(std::string("redistribution: not with ") + what);
  };
  const auto first_block_interpolation = 20, last_block_interpolation = 24;
  const HYPRE_Int interpolation = hypre_ParAMGDataInterpType(data);
  refuse(hypre_ParAMGDataAArray(data) != nullptr, "a BoomerAMG that is set up already");
  refuse(hypre_ParAMGDataCycleType(data) != 1 || hypre_ParAMGDataFCycle(data) != 0,
         "cycles other than V (HYPRE_BoomerAMGSetCycleType, SetFCycle)");
  refuse(hypre_ParAMGDataAdditive(data) >= 0 || hypre_ParAMGDataMultAdditive(data) >= 0 ||
             hypre_ParAMGDataSimple(data) >= 0,
         "additive cycles (HYPRE_BoomerAMGSetAdditive, SetMultAdditive, SetSimple)");
  refuse(hypre_ParAMGDataSeqThreshold(data) > 0,
         "hypre's own redundant coarse solve (HYPRE_BoomerAMGSetSeqThreshold)");
  refuse(interpolation >= first_block_interpolation && interpolation <= last_block_interpolation,
         "block interpolation (HYPRE_BoomerAMGSetInterpType 20 to 24)");
  refuse(hypre_ParAMGNumInterpVectors(data) > 0,
         "interpolation vectors (HYPRE_BoomerAMGSetInterpVectors)");
  refuse(hypre_ParAMGDataGSMG(data) > 0, "GSMG (HYPRE_BoomerAMGSetGSMG)");
  refuse(hypre_ParAMGDataNumCPoints(data) > 0 || hypre_ParAMGDataNumFPoints(data) > 0 ||
             hypre_ParAMGDataNumIsolatedFPoints(data) > 0,
         "points chosen by hand (HYPRE_BoomerAMGSetCPoints, SetFPoints, SetIsolatedFPoints)");
  refuse(hypre_ParAMGDataNonGalerkinTol(data) != 0 || hypre_ParAMGDataNonGalTolArray(data),
         "non-Galerkin coarse operators (HYPRE_BoomerAMGSetNonGalerkinTol)");
  refuse(hypre_ParAMGDataGridRelaxPoints(data) != nullptr, "HYPRE_BoomerAMGSetGridRelaxPoints");
}

BoomerAmg copy_of(const hypre_ParAMGData& configured, const BuildState& state, int max_levels) {
  const hypre_ParAMGData* from = &configured;
  const int levels = hypre_ParAMGDataMaxLevels(from);
  auto* to = static_cast<hypre_ParAMGData*>(hypre_BoomerAMGCreate());
  for (void* own : {static_cast<void*>(hypre_ParAMGDataNumGridSweeps(to)),
                    static_cast<void*>(hypre_ParAMGDataGridRelaxType(to)),
                    static_cast<void*>(hypre_ParAMGDataRelaxWeight(to)),
                    static_cast<void*>(hypre_ParAMGDataOmega(to))})
    hypre_Free(own, HYPRE_MEMORY_HOST);
  *to = configured; // all numbers, whatever hypre's version; owned arrays follow
  hypre_ParAMGDataNumGridSweeps(to) = copy_of_places(hypre_ParAMGDataNumGridSweeps(from));
  hypre_ParAMGDataGridRelaxType(to) = copy_of_places(hypre_ParAMGDataGridRelaxType(from));
  hypre_ParAMGDataRelaxWeight(to) =
      copy_of_weights(hypre_ParAMGDataRelaxWeight(from), levels, state.level);
  hypre_ParAMGDataOmega(to) = copy_of_weights(hypre_ParAMGDataOmega(from), levels, state.level);
  hypre_ParAMGDataDofFunc(to) = int_array(state.dof_func);

  hypre_ParAMGDataCoarsenType(to) = state.coarsen_type;
  hypre_ParAMGDataMaxLevels(to) = max_levels;
  hypre_ParAMGDataAggNumLevels(to) = levels_left(hypre_ParAMGDataAggNumLevels(from), state.level);
  hypre_ParAMGDataNodalLevels(to) = levels_left(hypre_ParAMGDataNodalLevels(from), state.level);
  hypre_ParAMGDataSmoothNumLevels(to) =
      std::min<HYPRE_Int>(levels_left(hypre_ParAMGDataSmoothNumLevels(from), state.level),
                          max_levels == 2 ? 1 : max_levels);
  hypre_ParAMGDataTol(to) = 0;
  hypre_ParAMGDataMinIter(to) = 0;
  hypre_ParAMGDataMaxIter(to) = 1;
  hypre_ParAMGDataPrintLevel(to) = 0;
  hypre_ParAMGDataLogging(to) = 0;
  return BoomerAmg(to);
}

}  // namespace odonata::amg
