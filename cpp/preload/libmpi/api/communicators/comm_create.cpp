// Constructors of communicators.
#include <sys/stat.h>

#include <string_view>

#include "preload/libmpi/api/communicators/attribute.hpp"
#include "preload/libmpi/core/communicators/communicators.hpp"
#include "preload/libmpi/core/topologies/topology.hpp"

namespace odonata::libmpi::api {

namespace {

// The communicator whose error handler reports an error: the world if the result is a null pointer.
MPI_Comm concerned(MPI_Comm comm, const MPI_Comm* result) {
  return result == nullptr ? MPI_COMM_WORLD : comm;
}

// Copies topology, error handler and attributes to a duplicate.
void inherit(Comm& duplicate, MPI_Comm handle, const Comm& parent) {
  duplicate.errhandler = parent.errhandler;
  duplicate.topology = parent.topology;
  duplicate.attributes = copy_attributes(handle, parent);
}

std::shared_ptr<Info> copy_of(const std::shared_ptr<Info>& info) {
  return info ? std::make_shared<Info>(*info) : nullptr;
}

// Attributes are copied last: their functions may use the communicator that is duplicated.
template <class GetInfo>
int duplicate(Function function, MPI_Comm comm, MPI_Comm* result, GetInfo get_info) {
  return call(function, concerned(comm, result), [&] {
    out(result) = MPI_COMM_NULL;
    const CommRef parent = comm_of(comm);
    const auto info = get_info(*parent);
    const CommRef made = libmpi::duplicate(function, *parent);
    made->info = copy_of(info);
    inherit(*made, comm, *parent);
    out(result) = add(made);
  });
}

template <class GetInfo>
int begin_duplicate(Function function, MPI_Comm comm, MPI_Comm* result, MPI_Request* request,
                    GetInfo get_info) {
  return call(function, comm, [&] {
    const CommRef parent = comm_of(comm);
    out(result) = MPI_COMM_NULL;
    const auto made = std::make_shared<Comm>();
    made->info = copy_of(get_info(*parent));
    inherit(*made, comm, *parent);
    MPI_Request& started = out(request);
    MPI_Comm& copy = out(result);
    started = add(libmpi::begin_duplicate(function, parent, made));
    copy = add(made);
  });
}

std::shared_ptr<Info> own_info(const Comm& comm) { return comm.info; }

}  // namespace

ODONATA_MPI(int, Comm_dup, (MPI_Comm comm, MPI_Comm* result)) {
  return duplicate(Function::Comm_dup, comm, result, own_info);
}
ODONATA_MPI(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* result)) {
  return duplicate(Function::Comm_dup_with_info, comm, result,
                   [&](const Comm&) { return info_of(info); });
}
ODONATA_MPI(int, Comm_idup, (MPI_Comm comm, MPI_Comm* result, MPI_Request* request)) {
  return begin_duplicate(Function::Comm_idup, comm, result, request, own_info);
}
ODONATA_MPI(int, Comm_idup_with_info,
            (MPI_Comm comm, MPI_Info info, MPI_Comm* result, MPI_Request* request)) {
  return begin_duplicate(Function::Comm_idup_with_info, comm, result, request,
                         [&](const Comm&) { return info_of(info); });
}

// ---- splitting

ODONATA_MPI(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* result)) {
  return call(Function::Comm_create, concerned(comm, result), [&] {
    MPI_Comm& made = out(result);
    const CommRef parent = comm_of(comm);
    made = add(create(Function::Comm_create, *parent, group_of(group)));
  });
}

ODONATA_MPI(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* result)) {
  return call(Function::Comm_create_group, concerned(comm, result), [&] {
    MPI_Comm& made = out(result);
    const CommRef parent = intracomm_of(comm);
    made = add(create_of_group(Function::Comm_create_group, *parent, group_of(group), tag));
  });
}

ODONATA_MPI(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* result)) {
  return call(Function::Comm_split, concerned(comm, result), [&] {
    MPI_Comm& made = out(result);
    const CommRef parent = comm_of(comm);
    require(color >= 0 || color == MPI_UNDEFINED, ErrorClass::arg, "the color is negative");
    made = add(split(Function::Comm_split, *parent,
                     color == MPI_UNDEFINED ? std::nullopt : std::optional(color), key));
  });
}

namespace {

#ifdef MPIX_COMM_TYPE_NEIGHBORHOOD
// MPICH's extension, by its hint for ranks that see the same directory.
std::optional<int> neighborhood_of(MPI_Info info) {
  const InfoRef hints = info_of(info);
  if (!hints) return std::nullopt;
  const auto hint = hints->find("nbhd_common_dirname");
  struct stat directory{};
  if (hint == hints->entries.end() || stat(hint->second.c_str(), &directory) != 0 ||
      !S_ISDIR(directory.st_mode))
    return std::nullopt;
  return static_cast<int>(directory.st_ino & 0x7fffffffU);
}
#endif

// Ranks of one node share memory. A simulated node has no parts.
std::optional<int> color_of(int type, MPI_Info info) {
  const int node = node_of(self().endpoint->rank());
  if (type == MPI_UNDEFINED) return std::nullopt;
  if (type == MPI_COMM_TYPE_SHARED) return node;
#ifdef ODONATA_ABI_OPENMPI
  if (type == OMPI_COMM_TYPE_HOST || type == OMPI_COMM_TYPE_BOARD) return node;
  if (type == OMPI_COMM_TYPE_CU || type == OMPI_COMM_TYPE_CLUSTER) return 0;
  if (type > MPI_COMM_TYPE_SHARED && type < OMPI_COMM_TYPE_BOARD) return std::nullopt;
#else
#ifdef MPIX_COMM_TYPE_NEIGHBORHOOD
  if (type == MPIX_COMM_TYPE_NEIGHBORHOOD) return neighborhood_of(info);
#endif
  if (type == MPI_COMM_TYPE_HW_UNGUIDED) return std::nullopt;
  if (type == MPI_COMM_TYPE_HW_GUIDED || type == MPI_COMM_TYPE_RESOURCE_GUIDED) {
    const InfoRef hints = info_of(info);
    const auto hint = hints ? hints->find("mpi_hw_resource_type") : decltype(hints->find("")){};
    if (hints && hint != hints->entries.end() && hint->second == "mpi_shared_memory") return node;
    return std::nullopt;
  }
#endif
  static_cast<void>(info);
  throw Error{ErrorClass::arg, "the split type " + std::to_string(type) + " is not known"};
}

}  // namespace

ODONATA_MPI(int, Comm_split_type,
            (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result)) {
  return call(Function::Comm_split_type, concerned(comm, result), [&] {
    MPI_Comm& made = out(result);
    const CommRef parent = comm_of(comm);
    made = add(split(Function::Comm_split_type, *parent, color_of(type, info), key));
  });
}

// ---- intercommunicators

ODONATA_MPI(int, Intercomm_create,
            (MPI_Comm local, int local_leader, MPI_Comm peers, int remote_leader, int tag,
             MPI_Comm* result)) {
  return call(Function::Intercomm_create, concerned(local, result), [&] {
    MPI_Comm& made = out(result);
    const CommRef comm = intracomm_of(local);
    if (local_leader < 0 || local_leader >= comm->size())
      throw Error{ErrorClass::rank, "the local leader is rank " + std::to_string(local_leader) +
                                        " of a communicator of " + std::to_string(comm->size())};
    const CommRef bridge = comm->rank == local_leader ? comm_of(peers) : nullptr;
    made = add(libmpi::connect(Function::Intercomm_create, *comm,
                               {bridge.get(), local_leader, remote_leader, tag}));
  });
}

#if MPI_VERSION >= 4
// ---- creation from a group

namespace {

int tag_of(const char* word) {
  require(word != nullptr, ErrorClass::arg, "the string is a null pointer");
  return static_cast<int>(std::hash<std::string_view>{}(word) & 0x7fffffff);
}

void give_handler(const CommRef& comm, MPI_Errhandler handler) {
  if (comm) comm->errhandler = errhandler_of(handler);
}

}  // namespace

ODONATA_MPI(int, Comm_create_from_group,
            (MPI_Group group, const char* word, MPI_Info info, MPI_Errhandler handler,
             MPI_Comm* result)) {
  return call(Function::Comm_create_from_group, [&] {
    MPI_Comm& made = out(result);
    const GroupRef members = group_of(group);
    const CommRef comm =
        create_of_group(Function::Comm_create_from_group, *self().world, members, tag_of(word));
    give_handler(comm, handler);
    if (comm) comm->info = copy_of(info_of(info));
    made = add(comm);
  });
}

ODONATA_MPI(int, Intercomm_create_from_groups,
            (MPI_Group local, int local_leader, MPI_Group remote, int remote_leader,
             const char* word, MPI_Info info, MPI_Errhandler handler, MPI_Comm* result)) {
  constexpr Function function = Function::Intercomm_create_from_groups;
  return call(function, [&] {
    MPI_Comm& made = out(result);
    const GroupRef members = group_of(local);
    require(local_leader >= 0 && local_leader < members->size(), ErrorClass::rank,
            "the local leader is not in the local group");
    const CommRef ours = create_of_group(function, *self().world, members, tag_of(word));
    if (!ours) return static_cast<void>(made = MPI_COMM_NULL);
    Bridge bridge{.leader = local_leader, .tag = tag_of(word)};
    if (ours->rank == local_leader) {
      const GroupRef others = group_of(remote);
      require(remote_leader >= 0 && remote_leader < others->size(), ErrorClass::rank,
              "the remote leader is not in the remote group");
      bridge.peers = self().world.get();
      bridge.remote_leader = others->members[remote_leader];
    }
    const CommRef comm = libmpi::connect(function, *ours, bridge);
    give_handler(comm, handler);
    comm->info = copy_of(info_of(info));
    made = add(comm);
  });
}
#endif

ODONATA_MPI(int, Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* result)) {
  return call(Function::Intercomm_merge, concerned(comm, result), [&] {
    MPI_Comm& made = out(result);
    const CommRef parent = comm_of(comm);
    require(parent->inter(), ErrorClass::comm, "not an intercommunicator");
    made = add(merge(Function::Intercomm_merge, *parent, high != 0));
  });
}

}  // namespace odonata::libmpi::api
