#include "preload/libmpi/api/api.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "odonata/live/memory.hpp"
#include "preload/libmpi/api/processes/session.hpp"
#include "preload/libmpi/core/collectives/collective.hpp"

namespace odonata::libmpi::api {

// ---- calls

namespace {

std::string_view name_of(Function function) {
  return trace::function_names()[static_cast<std::size_t>(function)];
}

[[noreturn]] void refuse(Function function) {
  const bool over = attached() && (self().finalized || self().left);
  const std::string what = std::string(name_of(function)) + (over ? " was called after MPI_Finalize"
                                                                  : " was called before MPI_Init");
  if (attached() && !over) {
    Endpoint& endpoint = *self().endpoint;
    endpoint.abort(1, "odonata: rank " + std::to_string(endpoint.rank()) + ": " + what);
  }
  std::fprintf(stderr, "odonata: %s\n", what.c_str());
  std::exit(1);
}

// A second call that communicates would have to wait for the first in simulated time, too.
[[noreturn]] void refuse_thread(const Process& process, Function function) {
  process.endpoint->abort(1, "odonata: rank " + std::to_string(process.endpoint->rank()) + ": " +
                                 std::string(name_of(function)) +
                                 " was called while another thread is in " +
                                 std::string(name_of(process.endpoint->gate().under_way())) +
                                 ": MPI_THREAD_SERIALIZED is provided, not MPI_THREAD_MULTIPLE");
}

// Functions that communicate nothing: any thread may call them at any time.
bool is_local(Function function) {
  switch (function) {
#define ODONATA_LOCAL(name) case Function::name:
#include "preload/libmpi/api/local_functions.inc"
#undef ODONATA_LOCAL
    return true;
    default: return false;
  }
}

bool is_of_info(Function function) { return name_of(function).starts_with("MPI_Info_"); }

// Functions that a program may call without MPI_Init, to describe a session and to open it.
bool comes_first(Function function) {
  return is_of_info(function) || name_of(function).starts_with("MPI_Session_") ||
         function == Function::Errhandler_free;
}

void prepare(Function function) {
  const bool over = attached() && self().left;
  const bool ended = over && self().handles == nullptr;  // with the run of all fibers
  if (!comes_first(function) || ended || (over && !is_of_info(function))) refuse(function);
  if (!over) start_library();
}

}  // namespace

CallScope::CallScope(Function function) : function_(function) {
  if (!attached() || !self().usable()) prepare(function);
  Process& process = self();
  if (!process.endpoint->enter(function, is_local(function))) refuse_thread(process, function);
  reported_ = process.endpoint->num_reported();
}

CallScope::~CallScope() {
  Process& process = self();
  Endpoint& endpoint = *process.endpoint;
  if (endpoint.num_reported() == reported_ && !endpoint.gate().nested() && !process.left)
    endpoint.report(call_of(function_, trace::Op::local));
  endpoint.leave();
}

// ---- handles

namespace {

// Is this MPI_COMM_WORLD or MPI_COMM_SELF of another ABI? Then the program was compiled with the
// mpi.h of another library.
live::Abi abi_of_constant(MPI_Comm comm) {
  const std::uint64_t bits = abi::bits_of(comm);
  if (bits == 0x44000000 || bits == 0x44000001) return live::Abi::mpich;
  if (bits == 0x101 || bits == 0x102) return live::Abi::standard;
  for (const char* name : {"ompi_mpi_comm_world", "ompi_mpi_comm_self"}) {
    const auto address = reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, name));
    if (address != 0 && (bits == address || bits == (address & 0xffffffffU)))
      return live::Abi::openmpi;
  }
  return live::Abi::none;
}

std::string why_no_comm(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return "the communicator is MPI_COMM_NULL";
  const live::Abi other = abi_of_constant(comm);
  if (other == live::Abi::none || other == abi::kind)
    return "the communicator was freed or never made";
  const std::string name = live::abi_name(other);
  return "the program was compiled for the MPI of the ABI " + name + " and has found the ABI " +
         live::abi_name(abi::kind) + ": --abi " + name;
}

}  // namespace

CommRef comm_of(MPI_Comm comm) {
  const CommRef* found = handles().comms.find(comm);
  if (found == nullptr) throw Error{ErrorClass::comm, why_no_comm(comm)};
  return *found;
}

CommRef intracomm_of(MPI_Comm comm) {
  CommRef found = comm_of(comm);
  require(!found->inter(), ErrorClass::comm, "the function is not defined on an intercommunicator");
  return found;
}

GroupRef group_of(MPI_Group group) {
  const GroupRef* found = handles().groups.find(group);
  if (found == nullptr)
    throw Error{ErrorClass::group, group == MPI_GROUP_NULL ? "the group is MPI_GROUP_NULL"
                                                           : "the group was freed or never made"};
  return *found;
}

TypeObject& type_object_of(MPI_Datatype type) {
  const TypeObjectRef* found = handles().types.find(type);
  if (found == nullptr)
    throw Error{ErrorClass::type, type == MPI_DATATYPE_NULL
                                      ? "the datatype is MPI_DATATYPE_NULL"
                                      : "the datatype was freed or never made"};
  return **found;
}

const TypeRef& type_of(MPI_Datatype type) { return type_object_of(type).type; }

const OpRef& op_of(MPI_Op op) {
  const OpRef* found = handles().ops.find(op);
  if (found == nullptr)
    throw Error{ErrorClass::op, op == MPI_OP_NULL ? "the operation is MPI_OP_NULL"
                                                  : "the operation was freed or never made"};
  return *found;
}

RequestRef request_of(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return nullptr;
  const RequestRef* found = handles().requests.find(request);
  require(found != nullptr, ErrorClass::request, "the request was freed or never made");
  return *found;
}

ErrorHandlerRef errhandler_of(MPI_Errhandler handler) {
  const ErrorHandlerRef* found = handles().errhandlers.find(handler);
  require(found != nullptr, ErrorClass::arg, "the error handler was freed or never made");
  return *found;
}

InfoRef info_of(MPI_Info info) {
  if (info == MPI_INFO_NULL) return nullptr;
  const InfoRef* found = handles().infos.find(info);
  require(found != nullptr, ErrorClass::info, "the info object was freed or never made");
  return *found;
}

MPI_Comm add(CommRef comm) { return comm ? handles().comms.add(std::move(comm)) : MPI_COMM_NULL; }

// ---- arguments

Buffer buffer(const void* data, std::int64_t count, MPI_Datatype type) {
  if (count < 0) throw Error{ErrorClass::count, "the count is " + std::to_string(count)};
  const TypeObject& object = type_object_of(type);
  require(object.committed, ErrorClass::type, "the datatype was not committed");
  require(data != MPI_IN_PLACE, ErrorClass::buffer, "the buffer may not be MPI_IN_PLACE here");
  require(data != nullptr || count == 0 || object.type->size() == 0 || !object.predefined,
          ErrorClass::buffer, "the buffer is a null pointer");
  return {.data = const_cast<void*>(data), .count = count, .type = object.type};
}

namespace {

std::int32_t peer_in(const Comm& comm, int rank) {
  if (rank == MPI_PROC_NULL) return trace::nobody;
  const int size = comm.peers().size();
  if (rank < 0 || rank >= size)
    throw Error{ErrorClass::rank,
                "rank " + std::to_string(rank) + " in a communicator of " + std::to_string(size)};
  return rank;
}

std::int32_t tag_in(int tag) {
  if (tag < 0) throw Error{ErrorClass::tag, "the tag is " + std::to_string(tag)};
  return tag;
}

}  // namespace

std::int32_t destination_in(const Comm& comm, int rank) { return peer_in(comm, rank); }

std::int32_t source_in(const Comm& comm, int rank) {
  return rank == MPI_ANY_SOURCE ? trace::any : peer_in(comm, rank);
}

std::int32_t root_in(const Comm& comm, int root) {
  if (comm.inter()) {
    if (root == MPI_ROOT) return this_is_root;
    if (root == MPI_PROC_NULL) return trace::nobody;
  }
  const int size = comm.peers().size();
  if (root < 0 || root >= size)
    throw Error{ErrorClass::root, "the root is rank " + std::to_string(root) +
                                      " of a communicator of " + std::to_string(size)};
  return root;
}

Peer destination(MPI_Comm comm, int rank, int tag) {
  CommRef found = comm_of(comm);
  const std::int32_t peer = destination_in(*found, rank);
  return {.comm = std::move(found), .rank = peer, .tag = tag_in(tag)};
}

Peer source(MPI_Comm comm, int rank, int tag) {
  CommRef found = comm_of(comm);
  const std::int32_t peer = source_in(*found, rank);
  return {
      .comm = std::move(found), .rank = peer, .tag = tag == MPI_ANY_TAG ? trace::any : tag_in(tag)};
}

void write_status(MPI_Status* to, const Status& from) {
  if (to == MPI_STATUS_IGNORE) return;
  to->MPI_SOURCE = from.source == trace::any      ? MPI_ANY_SOURCE
                   : from.source == trace::nobody ? MPI_PROC_NULL
                                                  : from.source;
  to->MPI_TAG = from.tag == trace::any ? MPI_ANY_TAG : from.tag;
  abi::write_status(*to, from);
}

void write_empty_status(MPI_Status* to) {
  if (to == MPI_STATUS_IGNORE) return;
  write_status(to, Status{});
  to->MPI_ERROR = MPI_SUCCESS;
}

Status read_status(const MPI_Status& from) {
  Status status;
  status.source = from.MPI_SOURCE == MPI_ANY_SOURCE  ? trace::any
                  : from.MPI_SOURCE == MPI_PROC_NULL ? trace::nobody
                                                     : from.MPI_SOURCE;
  status.tag = from.MPI_TAG == MPI_ANY_TAG ? trace::any : from.MPI_TAG;
  abi::read_status(status, from);
  return status;
}

}  // namespace odonata::libmpi::api
