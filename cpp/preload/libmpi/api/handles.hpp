// The objects behind the program's handles. Each rank has its own tables.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include ODONATA_ABI_HEADER

#include "preload/libmpi/core/collectives/op.hpp"
#include "preload/libmpi/core/communicators/attribute.hpp"
#include "preload/libmpi/core/communicators/comm.hpp"
#include "preload/libmpi/core/datatypes/datatype.hpp"
#include "preload/libmpi/core/environment/errhandler.hpp"
#include "preload/libmpi/core/environment/info.hpp"
#include "preload/libmpi/core/point_to_point/bsend_buffer.hpp"
#include "preload/libmpi/core/point_to_point/point_to_point.hpp"
#include "preload/libmpi/core/requests/request.hpp"

namespace odonata::libmpi {

/// Handles of one kind and their objects (shared pointers). Constants of the ABI are found by their
/// bits, handles that the program made by their slots. Free slots are reused.
template <class Handle, class Object>
class HandleTable {
 public:
  explicit HandleTable(Handle null) : null_(null) {}

  [[nodiscard]] Handle null() const { return null_; }

  Handle add(Object object) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back(std::move(object));
    } else {
      slot = free_.back();
      free_.pop_back();
      slots_[slot] = std::move(object);
    }
    return abi::made_handle(null_, slot);
  }

  /// Sets the object of a constant of the ABI.
  void define(Handle constant, Object object) {
    if (2 * (num_constants_ + 1) > constants_.size()) grow();
    Constant& place = constants_[place_of(abi::bits_of(constant))];
    if (!place.object) ++num_constants_;
    place = {constant, std::move(object)};
  }

  /// The object; null if the handle is null, was freed, or was never given out.
  [[nodiscard]] Object* find(Handle handle) {
    const std::int64_t slot = abi::slot_of(null_, handle);
    if (slot < 0) {
      Constant& place = constants_[place_of(abi::bits_of(handle))];
      return place.object ? &place.object : nullptr;
    }
    if (static_cast<std::uint64_t>(slot) >= slots_.size()) return nullptr;
    Object& object = slots_[slot];
    return object ? &object : nullptr;
  }

  [[nodiscard]] bool constant(Handle handle) const { return abi::slot_of(null_, handle) < 0; }

  /// Removes a handle that the program made; constants stay.
  void remove(Handle handle) {
    const std::int64_t slot = abi::slot_of(null_, handle);
    if (slot < 0) return;
    slots_[slot] = Object{};
    free_.push_back(static_cast<std::uint32_t>(slot));
  }

  template <class Do>
  void for_each(Do act) const {
    for (const Constant& constant : constants_)
      if (constant.object) act(constant.object);
    for (const Object& object : slots_)
      if (object) act(object);
  }
  /// The constant that stands for an object.
  template <class Is>
  [[nodiscard]] std::optional<Handle> constant_for(Is is) const {
    for (const Constant& constant : constants_)
      if (constant.object && is(constant.object)) return constant.handle;
    return std::nullopt;
  }
  /// A handle that the program made for such an object.
  template <class Is>
  [[nodiscard]] std::optional<Handle> made_where(Is is) const {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      if (slots_[slot] && is(slots_[slot]))
        return abi::made_handle(null_, static_cast<std::uint32_t>(slot));
    return std::nullopt;
  }
  /// The handle that the program made for an object.
  [[nodiscard]] std::optional<Handle> made_for(const Object& object) const {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      if (slots_[slot] == object) return abi::made_handle(null_, static_cast<std::uint32_t>(slot));
    return std::nullopt;
  }

 private:
  struct Constant {
    Handle handle{};
    Object object{};
  };

  [[nodiscard]] std::size_t place_of(std::uint64_t bits) const {
    const std::size_t mask = constants_.size() - 1;
    std::size_t place = (bits * 0x9e3779b97f4a7c15U >> 40U) & mask;
    while (constants_[place].object && abi::bits_of(constants_[place].handle) != bits)
      place = (place + 1) & mask;
    return place;
  }

  void grow() {
    std::vector<Constant> old(2 * constants_.size());
    old.swap(constants_);
    for (Constant& constant : old)
      if (constant.object)
        constants_[place_of(abi::bits_of(constant.handle))] = std::move(constant);
  }

  Handle null_;
  std::vector<Object> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Constant> constants_ = std::vector<Constant>(8);
  std::size_t num_constants_ = 0;
};

using TypeObjectRef = std::shared_ptr<TypeObject>;

using MessageRef = std::shared_ptr<Matched>;

/// A session of MPI-4.
struct Session {
  ErrorHandlerRef errhandler;
  InfoRef info;
};
using SessionRef = std::shared_ptr<Session>;

/// Error classes and codes that the program added.
struct AddedCode {
  int error_class = 0;  // itself, for a class
  std::string what;
  bool removed = false;
};

struct Handles {
  int num_own = 0;  // requests that exist and the core knows nothing of; before all requests
  HandleTable<MPI_Comm, CommRef> comms{MPI_COMM_NULL};
  HandleTable<MPI_Group, GroupRef> groups{MPI_GROUP_NULL};
  HandleTable<MPI_Datatype, TypeObjectRef> types{MPI_DATATYPE_NULL};
  HandleTable<MPI_Op, OpRef> ops{MPI_OP_NULL};
  HandleTable<MPI_Request, RequestRef> requests{MPI_REQUEST_NULL};
  HandleTable<MPI_Message, MessageRef> messages{MPI_MESSAGE_NULL};
  HandleTable<MPI_Errhandler, ErrorHandlerRef> errhandlers{MPI_ERRHANDLER_NULL};
  HandleTable<MPI_Info, InfoRef> infos{MPI_INFO_NULL};
#if MPI_VERSION >= 4
  HandleTable<MPI_Session, SessionRef> sessions{MPI_SESSION_NULL};
#endif

  std::vector<KeyvalRef> keyvals;   // by number - first_keyval
  ErrorHandlerRef file_errhandler;  // of MPI_FILE_NULL, for those who set it and open no file
  std::vector<AddedCode> codes;     // by code - MPI_ERR_LASTCODE - 1
  std::vector<RequestRef> orphans;  // freed by the program before they were complete
  std::vector<RequestRef> retired;  // orphans that are complete: their numbers stay taken
  std::vector<RequestRef>
      settled;  // complete, as MPI_Request_get_status found, but not yet waited for
  BsendBufferRef bsend;             // of the process

  static constexpr int first_keyval = 0x10000000;
};

}  // namespace odonata::libmpi
