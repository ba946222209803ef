// Positions and basic types of the bytes of a datatype, both in the order of its type map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "preload/libmpi/core/datatypes/named_types.hpp"

namespace odonata::libmpi {

class TypeLayout;
class Signature;
using LayoutRef = std::shared_ptr<const TypeLayout>;
using SignatureRef = std::shared_ptr<const Signature>;

/// A pattern that repeats `count` times, `stride` apart: `bytes` in a row at `offset`, or an
/// `inner` layout that is moved by `offset`.
///
///     offset        + stride      + 2 stride
///     |bytes|.......|bytes|.......|bytes|
struct Run {
  std::int64_t offset = 0;  // [B]
  std::int64_t bytes = 0;   // [B] of one
  std::int64_t count = 1;
  std::int64_t stride = 0;  // [B]
  LayoutRef inner = nullptr;

  [[nodiscard]] bool single() const { return count == 1 && !inner; }
};

class TypeLayout {
 public:
  /// Adds a layout `count` times, `stride` apart, the first moved by `offset`.
  void add(const LayoutRef& other, std::int64_t offset, std::int64_t count, std::int64_t stride);
  void add_run(std::int64_t offset, std::int64_t bytes);
  /// Joins equal runs at equal distances into one; to be called when all has been added.
  void compress();

  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

 private:
  void append(Run run);

  std::vector<Run> runs_;
};

/// The basic types of a type map, in order.
class Signature {
 public:
  struct Item {
    NamedType type{};  // never a pair
    std::int64_t count = 1;
    SignatureRef inner = nullptr;  // if set, repeated in the place of `type`
  };

  void add(NamedType type, std::int64_t count);
  void add(const SignatureRef& other, std::int64_t count);

  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t elements() const { return elements_; }
  /// Number of basic elements in the first `bytes`, -1 if these end within an element.
  [[nodiscard]] std::int64_t elements_in(std::int64_t bytes) const;
  /// Length of the first `elements` basic elements [B].
  [[nodiscard]] std::int64_t bytes_of(std::int64_t elements) const;

 private:
  std::vector<Item> items_;
  std::int64_t bytes_ = 0;
  std::int64_t elements_ = 0;
};

}  // namespace odonata::libmpi
