// MPI_Pack, MPI_Unpack and their external forms.
#include "preload/libmpi/core/datatypes/pack.hpp"

#include <string_view>

#include "preload/libmpi/api/datatypes/datatype.hpp"

namespace odonata::libmpi::api {

namespace {

// Place in the packed data.
template <class Byte>
Byte* place_in(Byte* packed, std::int64_t position, std::int64_t bytes, std::int64_t room) {
  require(position >= 0, ErrorClass::arg, "the position is negative");
  if (bytes > room - position)
    throw Error{ErrorClass::truncate, std::to_string(bytes) + " bytes at position " +
                                          std::to_string(position) + " of " + std::to_string(room)};
  require(packed != nullptr || bytes == 0, ErrorClass::buffer, "the buffer is a null pointer");
  return packed == nullptr ? nullptr : packed + position;
}

template <class Position>
void pack(const Buffer& from, void* to, std::int64_t room, Position* position) {
  const std::int64_t bytes = from.count * from.type->size();
  auto* const place = place_in(static_cast<std::byte*>(to), out(position), bytes, room);
  from.type->pack(from.data, from.count, place);
  *position = static_cast<Position>(*position + bytes);
}

template <class Position>
void unpack(const void* from, std::int64_t room, Position* position, const Buffer& to) {
  const std::int64_t bytes = to.count * to.type->size();
  const auto* const place =
      place_in(static_cast<const std::byte*>(from), out(position), bytes, room);
  to.type->unpack(place, bytes, to.data, to.count);
  *position = static_cast<Position>(*position + bytes);
}

void require_external(const char* name) {
  if (std::string_view(text_of(name)) != "external32")
    throw Error{ErrorClass::arg, "there is no data representation \"" + std::string(name) +
                                     "\", only \"external32\""};
}

template <class Position>
void pack_for_exchange(const Buffer& from, void* to, std::int64_t room, Position* position) {
  const std::int64_t bytes = from.count * external_size(*from.type);
  auto* const place = place_in(static_cast<std::byte*>(to), out(position), bytes, room);
  pack_external(from.data, from.count, *from.type, place);
  *position = static_cast<Position>(*position + bytes);
}

template <class Position>
void unpack_from_exchange(const void* from, std::int64_t room, Position* position,
                          const Buffer& to) {
  const std::int64_t bytes = to.count * external_size(*to.type);
  const auto* const place =
      place_in(static_cast<const std::byte*>(from), out(position), bytes, room);
  unpack_external(place, to.data, to.count, *to.type);
  *position = static_cast<Position>(*position + bytes);
}

std::int64_t packed_size(std::int64_t count, MPI_Datatype datatype) {
  require(count >= 0, ErrorClass::count, "the count is negative");
  return count * type_of(datatype)->size();
}

std::int64_t external_packed_size(const char* name, std::int64_t count, MPI_Datatype datatype) {
  require_external(name);
  require(count >= 0, ErrorClass::count, "the count is negative");
  return count * external_size(*type_of(datatype));
}

}  // namespace

ODONATA_MPI(int, Pack,
            (const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize,
             int* position, MPI_Comm comm)) {
  return call(Function::Pack, comm, [&] {
    (void)comm_of(comm);
    pack(buffer(inbuf, incount, datatype), outbuf, outsize, position);
  });
}

ODONATA_MPI(int, Unpack,
            (const void* inbuf, int insize, int* position, void* outbuf, int outcount,
             MPI_Datatype datatype, MPI_Comm comm)) {
  return call(Function::Unpack, comm, [&] {
    (void)comm_of(comm);
    unpack(inbuf, insize, position, buffer(outbuf, outcount, datatype));
  });
}

ODONATA_MPI(int, Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int* size)) {
  return call(Function::Pack_size, comm, [&] {
    (void)comm_of(comm);
    out(size) = int_or_undefined(packed_size(incount, datatype));
  });
}

ODONATA_MPI(int, Pack_external,
            (const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype,
             void* outbuf, MPI_Aint outsize, MPI_Aint* position)) {
  return call(Function::Pack_external, [&] {
    require_external(datarep);
    pack_for_exchange(buffer(inbuf, incount, datatype), outbuf, outsize, position);
  });
}

ODONATA_MPI(int, Unpack_external,
            (const char* datarep, const void* inbuf, MPI_Aint insize, MPI_Aint* position,
             void* outbuf, int outcount, MPI_Datatype datatype)) {
  return call(Function::Unpack_external, [&] {
    require_external(datarep);
    unpack_from_exchange(inbuf, insize, position, buffer(outbuf, outcount, datatype));
  });
}

ODONATA_MPI(int, Pack_external_size,
            (const char* datarep, int incount, MPI_Datatype datatype, MPI_Aint* size)) {
  return call(Function::Pack_external_size,
              [&] { out(size) = external_packed_size(datarep, incount, datatype); });
}

#if MPI_VERSION >= 4
ODONATA_MPI(int, Pack_c,
            (const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
             MPI_Count outsize, MPI_Count* position, MPI_Comm comm)) {
  return call(Function::Pack_c, comm, [&] {
    (void)comm_of(comm);
    pack(buffer(inbuf, incount, datatype), outbuf, outsize, position);
  });
}

ODONATA_MPI(int, Unpack_c,
            (const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
             MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm)) {
  return call(Function::Unpack_c, comm, [&] {
    (void)comm_of(comm);
    unpack(inbuf, insize, position, buffer(outbuf, outcount, datatype));
  });
}

ODONATA_MPI(int, Pack_size_c,
            (MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size)) {
  return call(Function::Pack_size_c, comm, [&] {
    (void)comm_of(comm);
    out(size) = packed_size(incount, datatype);
  });
}

ODONATA_MPI(int, Pack_external_c,
            (const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype,
             void* outbuf, MPI_Count outsize, MPI_Count* position)) {
  return call(Function::Pack_external_c, [&] {
    require_external(datarep);
    pack_for_exchange(buffer(inbuf, incount, datatype), outbuf, outsize, position);
  });
}

ODONATA_MPI(int, Unpack_external_c,
            (const char* datarep, const void* inbuf, MPI_Count insize, MPI_Count* position,
             void* outbuf, MPI_Count outcount, MPI_Datatype datatype)) {
  return call(Function::Unpack_external_c, [&] {
    require_external(datarep);
    unpack_from_exchange(inbuf, insize, position, buffer(outbuf, outcount, datatype));
  });
}

ODONATA_MPI(int, Pack_external_size_c,
            (const char* datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count* size)) {
  return call(Function::Pack_external_size_c,
              [&] { out(size) = external_packed_size(datarep, incount, datatype); });
}
#endif

}  // namespace odonata::libmpi::api
