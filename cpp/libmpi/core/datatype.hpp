// Datatypes: how many bytes of a user's buffer a message has, and where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace odonata::libmpi {

class Datatype;
using TypeRef = std::shared_ptr<const Datatype>;

}  // namespace odonata::libmpi
