// Attributes of communicators and datatypes.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace odonata::libmpi {

/// A key with the program's functions that copy and remove its values; a null function does
/// nothing.
struct Keyval {
  void (*copy)() = nullptr;  // of the type that the ABI says
  void (*remove)() = nullptr;
  void* extra_state = nullptr;
  bool of_types = false;  // else of communicators
  bool duplicates = false;  // copies as MPI_COMM_DUP_FN does
  // Functions of a language binding through which those above are called.
  void (*copy_proxy)() = nullptr;
  void (*remove_proxy)() = nullptr;
  bool freed = false;  // by the program; it counts as long as there are values
};
using KeyvalRef = std::shared_ptr<Keyval>;

struct Attribute {
  int number = 0;
  KeyvalRef keyval;  // lives as long as an attribute uses it
  void* value = nullptr;
};

/// Attributes in the order in which they were set.
struct Attributes {
  std::vector<Attribute> values;

  [[nodiscard]] Attribute* find(int number) {
    const auto found = std::ranges::find(values, number, &Attribute::number);
    return found == values.end() ? nullptr : &*found;
  }
};

}  // namespace odonata::libmpi
