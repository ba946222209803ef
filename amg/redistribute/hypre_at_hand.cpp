#include "amg/redistribute/hypre_at_hand.hpp"

#include <HYPRE_utilities.h>

#include <array>
#include <dlfcn.h>

namespace odonata::amg {
namespace {

// Functions that hypre got last, or that are no part of its public interface.
constexpr std::array needed{"hypre_BinarySearch",     "hypre_BoomerAMGCycle",
                            "hypre_BoomerAMGRelaxIF", "hypre_GaussElimSolve",
                            "hypre_IntArrayCreate",   "hypre_ParCSRMatrixMatvecOutOfPlace"};

// True if hypre's lists of integers are of HYPRE_Int: a list of 0, 1, 2, 3 has other entries where
// they are longer or shorter. Arguments are passed in whole registers.
bool integers_are_ours() {
  using Search = long long (*)(const HYPRE_Int*, long long, long long);
  const auto search = reinterpret_cast<Search>(dlsym(RTLD_DEFAULT, "hypre_BinarySearch"));
  const std::array<HYPRE_Int, 4> list{0, 1, 2, 3};
  return HYPRE_Int(search(list.data(), 1, 2)) == 1;
}

}  // namespace

std::string unfit_hypre() {
  std::string missing;
  for (const char* name : needed)
    if (!dlsym(RTLD_DEFAULT, name)) missing += (missing.empty() ? "" : ", ") + std::string(name);
  if (!missing.empty()) return "hypre at hand has no " + missing + "; allowed: hypre 2.26 or newer";
  if (!integers_are_ours())
    return "hypre at hand has local integers of another size than the " +
           std::to_string(8 * sizeof(HYPRE_Int)) + " bits that Odonata was built with";
  return "";
}

}  // namespace odonata::amg
