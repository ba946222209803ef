// Functions that commit, free, duplicate, name and measure a datatype.
#include "preload/libmpi/api/datatypes/datatype.hpp"

#include <limits>

#include "preload/libmpi/api/communicators/attribute.hpp"
#include "preload/libmpi/api/strings.hpp"

namespace odonata::libmpi::api {

MPI_Datatype add(TypeRef type) {
  auto object = std::make_shared<TypeObject>();
  object->type = std::move(type);
  return handles().types.add(std::move(object));
}

std::optional<MPI_Datatype> handle_of(const Datatype& type) {
  const auto is = [&](const TypeObjectRef& object) { return object->type.get() == &type; };
  if (const auto constant = handles().types.constant_for(is)) return constant;
  return handles().types.made_where(is);
}

std::optional<MPI_Datatype> constant_of(const Datatype& type) {
  const auto handle = handle_of(type);
  return handle && type_object_of(*handle).predefined ? handle : std::nullopt;
}

int int_or_undefined(std::int64_t value) {
  return value > std::numeric_limits<int>::max() ? MPI_UNDEFINED : static_cast<int>(value);
}

namespace {

template <class Integer>
int extent(Function function, MPI_Datatype datatype, Integer* lb, Integer* extent) {
  return call(function, [&] {
    const TypeRef& type = type_of(datatype);
    out(lb) = type->lb();
    out(extent) = type->extent();
  });
}

template <class Integer>
int true_extent(Function function, MPI_Datatype datatype, Integer* lb, Integer* extent) {
  return call(function, [&] {
    const TypeRef& type = type_of(datatype);
    out(lb) = type->true_lb();
    out(extent) = type->true_extent();
  });
}

}  // namespace

ODONATA_MPI(int, Type_commit, (MPI_Datatype * datatype)) {
  return call(Function::Type_commit, [&] { type_object_of(out(datatype)).committed = true; });
}

ODONATA_MPI(int, Type_free, (MPI_Datatype * datatype)) {
  return call(Function::Type_free, [&] {
    TypeObject& object = type_object_of(out(datatype));
    require(!object.predefined, ErrorClass::type, "the datatype is predefined");
    delete_attributes(out(datatype), object);
    handles().types.remove(out(datatype));
    out(datatype) = MPI_DATATYPE_NULL;
  });
}

ODONATA_MPI(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call(Function::Type_dup, [&] {
    out(newtype) = MPI_DATATYPE_NULL;
    const TypeObject& old = type_object_of(oldtype);
    auto object = std::make_shared<TypeObject>();
    object->type = duplicate(old.type);
    object->committed = old.committed;
    object->attributes = copy_attributes(oldtype, old);
    out(newtype) = handles().types.add(std::move(object));
  });
}

ODONATA_MPI(int, Type_size, (MPI_Datatype datatype, int* size)) {
  return call(Function::Type_size,
              [&] { out(size) = int_or_undefined(type_of(datatype)->size()); });
}

ODONATA_MPI(int, Type_size_x, (MPI_Datatype datatype, MPI_Count* size)) {
  return call(Function::Type_size_x, [&] { out(size) = type_of(datatype)->size(); });
}

ODONATA_MPI(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent_)) {
  return extent(Function::Type_get_extent, datatype, lb, extent_);
}

ODONATA_MPI(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent_)) {
  return extent(Function::Type_get_extent_x, datatype, lb, extent_);
}

ODONATA_MPI(int, Type_get_true_extent, (MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent_)) {
  return true_extent(Function::Type_get_true_extent, datatype, lb, extent_);
}

ODONATA_MPI(int, Type_get_true_extent_x,
            (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent_)) {
  return true_extent(Function::Type_get_true_extent_x, datatype, lb, extent_);
}

#if MPI_VERSION >= 4
ODONATA_MPI(int, Type_size_c, (MPI_Datatype datatype, MPI_Count* size)) {
  return call(Function::Type_size_c, [&] { out(size) = type_of(datatype)->size(); });
}

ODONATA_MPI(int, Type_get_extent_c, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent_)) {
  return extent(Function::Type_get_extent_c, datatype, lb, extent_);
}

ODONATA_MPI(int, Type_get_true_extent_c,
            (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent_)) {
  return true_extent(Function::Type_get_true_extent_c, datatype, lb, extent_);
}
#endif

ODONATA_MPI(int, Type_get_name, (MPI_Datatype datatype, char* name, int* length)) {
  return call(Function::Type_get_name, [&] {
    const std::string known =
        datatype == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : type_object_of(datatype).name;
    out(length) = copy_string(known, name, MPI_MAX_OBJECT_NAME);
  });
}

ODONATA_MPI(int, Type_set_name, (MPI_Datatype datatype, const char* name)) {
  return call(Function::Type_set_name, [&] { type_object_of(datatype).name = text_of(name); });
}

ODONATA_MPI(int, Get_address, (const void* location, MPI_Aint* address)) {
  return call(Function::Get_address, [&] { out(address) = reinterpret_cast<MPI_Aint>(location); });
}

#undef MPI_Aint_add
#undef MPI_Aint_diff
#undef PMPI_Aint_add
#undef PMPI_Aint_diff

// Addresses wrap around: they are unsigned.
ODONATA_MPI(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint displacement)) {
  return static_cast<MPI_Aint>(static_cast<std::uint64_t>(base) +
                               static_cast<std::uint64_t>(displacement));
}

ODONATA_MPI(MPI_Aint, Aint_diff, (MPI_Aint address, MPI_Aint base)) {
  return static_cast<MPI_Aint>(static_cast<std::uint64_t>(address) -
                               static_cast<std::uint64_t>(base));
}

}  // namespace odonata::libmpi::api
