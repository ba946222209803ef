#include "odonata/machine/families/families.hpp"

#include "odonata/machine/families/aries/aries.hpp"
#include "odonata/machine/families/dragonfly/dragonfly.hpp"
#include "odonata/machine/families/dragonfly_plus/dragonfly_plus.hpp"
#include "odonata/machine/families/fat_tree/fat_tree.hpp"
#include "odonata/machine/families/gemini/gemini.hpp"
#include "odonata/machine/families/graph/graph.hpp"
#include "odonata/machine/families/hyperx/hyperx.hpp"
#include "odonata/machine/families/star/star.hpp"
#include "odonata/machine/families/torus/torus.hpp"

namespace odonata {

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      family_of(declare_dragonfly()), family_of(declare_dragonfly_plus()),
      family_of(declare_aries()),     family_of(declare_hyperx()),
      family_of(declare_torus()),     family_of(declare_gemini()),
      family_of(declare_fat_tree()),  family_of(declare_star()),
      family_of(declare_graph()),
  };
  return all;
}

const Family& family_named(const std::string& name) {
  for (const Family& family : families())
    if (family.name == name) return family;
  throw UserError("family: unknown", name);
}

Machine make_machine(const std::string& family, const Basics& basics, const Values& values,
                     const std::vector<LinkClass>& classes) {
  return family_named(family).build(basics, values, classes);
}

}  // namespace odonata
