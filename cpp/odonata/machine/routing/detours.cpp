#include "odonata/machine/routing/detours.hpp"

namespace odonata {

const std::vector<PolicyAbout>& detour_policies() {
  static const std::vector<PolicyAbout> policies{
      {.name = "minimal", .meaning = "A shortest route", .oblivious = true},
      {.name = "valiant",
       .meaning = "A detour by way of a group, router or coordinate that is drawn",
       .oblivious = true},
      {.name = "ugal-l",
       .meaning = "The shortest route or a detour, by the bytes that wait at the source's router",
       .aliases = {"ugal", "adaptive"}},
      {.name = "ugal-g",
       .meaning = "The same, with the bytes that wait at the link which leaves the group, too"},
      {.name = "par", .meaning = "ugal-l, decided anew while the route is still the shortest"},
  };
  return policies;
}

}  // namespace odonata
