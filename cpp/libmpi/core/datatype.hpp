// Datatypes: how many bytes of a user's buffer a message has, and where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libmpi/core/predefined.hpp"
#include "libmpi/core/type_layout.hpp"

namespace odonata::libmpi {

class Datatype;
using TypeRef = std::shared_ptr<const Datatype>;

struct Attributes;  // attribute.hpp

/// How a datatype was made.
enum class Combiner : std::uint8_t {
  named,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  f90_real,
  f90_complex,
  f90_integer,
  resized,
};

/// What it was made of, in the order of MPI_Type_get_contents.
struct Contents {
  Combiner combiner = Combiner::named;
  std::vector<std::int64_t> integers = {};
  std::vector<std::int64_t> addresses = {};
  std::vector<std::int64_t> counts = {};  // of the large-count constructors
  std::vector<TypeRef> types = {};
};

/// First and last byte of one element, and where the next element starts. [B]
struct Bounds {
  std::int64_t lb = 0, ub = 0;            // as MPI has them: markers and padding count
  std::int64_t true_lb = 0, true_ub = 0;  // of the data
  std::int64_t alignment = 1;
  bool fixed_lb = false, fixed_ub = false;  // by a marker: inherited, not padded
};

/// Immutable. All sizes and offsets in bytes.
class Datatype : public std::enable_shared_from_this<Datatype> {
 public:
  Datatype(LayoutRef layout, SignatureRef signature, const Bounds& bounds, Contents contents,
           std::optional<NamedType> named = {});

  [[nodiscard]] std::int64_t size() const { return signature_->bytes(); }
  [[nodiscard]] std::int64_t lb() const { return bounds_.lb; }
  [[nodiscard]] std::int64_t ub() const { return bounds_.ub; }
  [[nodiscard]] std::int64_t extent() const { return bounds_.ub - bounds_.lb; }
  [[nodiscard]] std::int64_t true_lb() const { return bounds_.true_lb; }
  [[nodiscard]] std::int64_t true_extent() const { return bounds_.true_ub - bounds_.true_lb; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  [[nodiscard]] const LayoutRef& layout() const { return layout_; }
  [[nodiscard]] const SignatureRef& signature() const { return signature_; }
  [[nodiscard]] const Contents& contents() const { return contents_; }

  /// The type that MPI names and this one is, or is a duplicate of.
  [[nodiscard]] std::optional<NamedType> named() const { return named_; }
  /// Do any number of elements lie in a row, the first at the address of the buffer? Then packing
  /// is one copy.
  [[nodiscard]] bool contiguous() const { return contiguous_; }
  /// Bytes from the first to the last of `count` elements; the first is at true_lb().
  [[nodiscard]] std::int64_t span(std::int64_t count) const;

  /// Copies `count` elements to `count * size()` bytes in a row.
  void pack(const void* user, std::int64_t count, std::byte* out) const;
  /// Copies bytes in a row to at most `count` elements; the last may come only in part.
  void unpack(const std::byte* in, std::int64_t bytes, void* user, std::int64_t count) const;

 private:
  LayoutRef layout_;
  SignatureRef signature_;
  Bounds bounds_;
  Contents contents_;
  std::optional<NamedType> named_;
  bool contiguous_;
};

/// The type that MPI names so.
[[nodiscard]] const TypeRef& named_type(NamedType type);
/// "MPI_INT".
[[nodiscard]] const char* name_of(NamedType type);
[[nodiscard]] Kind kind_of(NamedType type);
/// [B] of a basic type in memory, and in the exchangeable form "external32".
[[nodiscard]] std::int64_t size_of(NamedType type);
[[nodiscard]] std::int64_t external_size_of(NamedType type);
/// The parts of a pair type, and the pair type that has these parts.
[[nodiscard]] NamedType value_of(NamedType pair);
[[nodiscard]] NamedType index_of(NamedType pair);
[[nodiscard]] std::optional<NamedType> pair_of(NamedType value, NamedType index);

/// Copies elements of one type to elements of another with the same signature, in one rank.
void copy(const void* from, std::int64_t from_count, const Datatype& from_type, void* to,
          std::int64_t to_count, const Datatype& to_type);

/// What a handle of a datatype stands for.
struct TypeObject {
  TypeRef type;
  std::string name;
  bool committed = false;
  bool predefined = false;  // may not be freed
  std::shared_ptr<Attributes> attributes;
};

}  // namespace odonata::libmpi
