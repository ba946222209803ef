// Datatypes: sizes and positions of the data in a user's buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "preload/libmpi/core/datatypes/named_types.hpp"
#include "preload/libmpi/core/datatypes/type_layout.hpp"

namespace odonata::libmpi {

class Datatype;
using TypeRef = std::shared_ptr<const Datatype>;

struct Attributes;  // attribute.hpp

/// The constructor of a datatype.
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

/// Arguments of the constructor, in the order of MPI_Type_get_contents.
struct Contents {
  Combiner combiner = Combiner::named;
  std::vector<std::int64_t> integers = {};
  std::vector<std::int64_t> addresses = {};
  std::vector<std::int64_t> counts = {};  // of the large-count constructors
  std::vector<TypeRef> types = {};
};

/// Positions of the first byte, the last byte and the next element [B].
struct Bounds {
  std::int64_t lb = 0, ub = 0;            // MPI's bounds, with markers and padding
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

  /// The named type that this one is, or is a duplicate of.
  [[nodiscard]] std::optional<NamedType> named() const { return named_; }
  /// Do elements lie without gaps, the first at the address of the buffer? Then packing is one
  /// copy.
  [[nodiscard]] bool contiguous() const { return contiguous_; }
  /// Bytes from the first to the last of `count` elements; the first is at true_lb().
  [[nodiscard]] std::int64_t span(std::int64_t count) const;

  /// Copies `count` elements to `count * size()` bytes in a row.
  void pack(const void* user, std::int64_t count, std::byte* out) const;
  /// Copies bytes in a row to at most `count` elements; the last element may be incomplete.
  void unpack(const std::byte* in, std::int64_t bytes, void* user, std::int64_t count) const;

 private:
  LayoutRef layout_;
  SignatureRef signature_;
  Bounds bounds_;
  Contents contents_;
  std::optional<NamedType> named_;
  bool contiguous_;
};

/// The datatype of a name.
[[nodiscard]] const TypeRef& named_type(NamedType type);
/// The name in MPI, such as "MPI_INT".
[[nodiscard]] const char* name_of(NamedType type);
[[nodiscard]] Kind kind_of(NamedType type);
/// Size of a basic type in memory [B], and in MPI's exchange format "external32" [B].
[[nodiscard]] std::int64_t size_of(NamedType type);
[[nodiscard]] std::int64_t external_size_of(NamedType type);
/// The components of a pair type, and the pair type with these components.
[[nodiscard]] NamedType value_of(NamedType pair);
[[nodiscard]] NamedType index_of(NamedType pair);
[[nodiscard]] std::optional<NamedType> pair_of(NamedType value, NamedType index);

/// Copies elements of one type to elements of another type with the same signature.
void copy(const void* from, std::int64_t from_count, const Datatype& from_type, void* to,
          std::int64_t to_count, const Datatype& to_type);

/// The object behind a handle of a datatype.
struct TypeObject {
  TypeRef type;
  std::string name;
  bool committed = false;
  bool predefined = false;  // may not be freed
  std::shared_ptr<Attributes> attributes;
};

}  // namespace odonata::libmpi
