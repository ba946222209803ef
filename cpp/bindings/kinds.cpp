// odonata._core: the rows of explain/kinds.inc.
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "odonata/explain/categories.hpp"
#include "odonata/mpi/acts.hpp"
#include "odonata/mpi/observer.hpp"

using namespace odonata;

namespace {

using Words = std::string;
using Row = std::tuple<Words, Words, Words, Words, Words>;

std::vector<Row> categories() {
  return {
#define ODONATA_CATEGORY(name, shown, colour, cause, words) {#name, #shown, colour, cause, words},
#include "odonata/explain/kinds.inc"
  };
}

std::vector<Row> link_categories() {
  return {
#define ODONATA_LINK_CATEGORY(name, first, last, cause, words) {#name, first, last, cause, words},
#include "odonata/explain/kinds.inc"
  };
}

std::vector<std::tuple<Words, Words, Words>> shown_kinds() {
  return {
#define ODONATA_SHOWN(name, colour, words) {#name, colour, words},
#include "odonata/explain/kinds.inc"
  };
}

// Category of each step; the words of the wait.
std::vector<Words> steps() {
  return {
#define ODONATA_STEP(name, category) #category,
#define ODONATA_WAIT(name, words) words,
#include "odonata/explain/kinds.inc"
  };
}

std::map<int, Words> way_parts() {
  return {
#define ODONATA_WAY_PART(part, words) {static_cast<int>(WayPart::part), words},
#include "odonata/explain/kinds.inc"
  };
}

std::map<int, Words> legs() {
  return {
#define ODONATA_LEG(leg, words) {static_cast<int>(Leg::leg), words},
#include "odonata/explain/kinds.inc"
  };
}

std::map<int, Words> act_kinds() {
  return {
#define ODONATA_ACT(act, words) {static_cast<int>(Act::Kind::act), words},
#include "odonata/explain/kinds.inc"
  };
}

}  // namespace

void bind_kinds(nb::module_& m) {
  m.def("categories", &categories);
  m.def("link_categories", &link_categories);
  m.def("shown_kinds", &shown_kinds);
  m.def("steps", &steps);
  m.def("way_parts", &way_parts);
  m.def("legs", &legs);
  m.def("act_kinds", &act_kinds);
}
