// Inquiries about communicators, their names and hints.
#include "preload/libmpi/api/communicators/attribute.hpp"
#include "preload/libmpi/api/communicators/group.hpp"
#include "preload/libmpi/api/strings.hpp"
#include "preload/libmpi/core/topologies/topology.hpp"

namespace odonata::libmpi::api {

ODONATA_MPI(int, Comm_size, (MPI_Comm comm, int* size)) {
  return call(Function::Comm_size, comm, [&] { out(size) = comm_of(comm)->size(); });
}

ODONATA_MPI(int, Comm_rank, (MPI_Comm comm, int* rank)) {
  return call(Function::Comm_rank, comm, [&] { out(rank) = comm_of(comm)->rank; });
}

ODONATA_MPI(int, Comm_remote_size, (MPI_Comm comm, int* size)) {
  return call(Function::Comm_remote_size, comm, [&] {
    const CommRef found = comm_of(comm);
    require(found->inter(), ErrorClass::comm, "not an intercommunicator");
    out(size) = found->remote->size();
  });
}

ODONATA_MPI(int, Comm_test_inter, (MPI_Comm comm, int* flag)) {
  return call(Function::Comm_test_inter, comm, [&] { out(flag) = comm_of(comm)->inter() ? 1 : 0; });
}

ODONATA_MPI(int, Comm_group, (MPI_Comm comm, MPI_Group* group)) {
  return call(Function::Comm_group, comm,
              [&] { out(group) = handles().groups.add(comm_of(comm)->group); });
}

ODONATA_MPI(int, Comm_remote_group, (MPI_Comm comm, MPI_Group* group)) {
  return call(Function::Comm_remote_group, comm, [&] {
    const CommRef found = comm_of(comm);
    require(found->inter(), ErrorClass::comm, "not an intercommunicator");
    out(group) = handles().groups.add(found->remote);
  });
}

ODONATA_MPI(int, Comm_compare, (MPI_Comm a, MPI_Comm b, int* result)) {
  return call(Function::Comm_compare, a, [&] {
    const CommRef first = comm_of(a), second = comm_of(b);
    if (first == second) {
      out(result) = MPI_IDENT;
      return;
    }
    out(result) = MPI_UNEQUAL;
    if (first->inter() != second->inter()) return;
    out(result) = compare(*first->group, *second->group);
    if (first->inter() && *result != MPI_UNEQUAL) {
      const int remote = compare(*first->remote, *second->remote);
      if (remote != MPI_IDENT) out(result) = remote;
    }
    if (*result == MPI_IDENT) out(result) = MPI_CONGRUENT;
  });
}

namespace {

int free(Function function, MPI_Comm* handle) {
  return call(function, handle != nullptr ? *handle : MPI_COMM_WORLD, [&] {
    const CommRef comm = comm_of(out(handle));
    require(!handles().comms.constant(out(handle)), ErrorClass::comm,
            "predefined communicators cannot be freed");
    delete_attributes(out(handle), *comm);
    if (comm->bsend) comm->bsend->flush(function);
    handles().comms.remove(out(handle));
    out(handle) = MPI_COMM_NULL;
  });
}

}  // namespace

ODONATA_MPI(int, Comm_free, (MPI_Comm * comm)) { return free(Function::Comm_free, comm); }
ODONATA_MPI(int, Comm_disconnect, (MPI_Comm * comm)) {
  return free(Function::Comm_disconnect, comm);
}

ODONATA_MPI(int, Comm_get_parent, (MPI_Comm * parent)) {
  return call(Function::Comm_get_parent, [&] { out(parent) = MPI_COMM_NULL; });
}

// ---- names and hints

ODONATA_MPI(int, Comm_set_name, (MPI_Comm comm, const char* name)) {
  return call(Function::Comm_set_name, comm, [&] {
    comm_of(comm)->name = std::string(text_of(name)).substr(0, MPI_MAX_OBJECT_NAME - 1);
  });
}

ODONATA_MPI(int, Comm_get_name, (MPI_Comm comm, char* name, int* length)) {
  return call(Function::Comm_get_name, comm, [&] {
    const std::string known = comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : comm_of(comm)->name;
    out(length) = copy_string(known, name, MPI_MAX_OBJECT_NAME);
  });
}

ODONATA_MPI(int, Comm_set_info, (MPI_Comm comm, MPI_Info info)) {
  return call(Function::Comm_set_info, comm, [&] {
    const InfoRef found = info_of(info);
    comm_of(comm)->info = found ? std::make_shared<Info>(*found) : nullptr;
  });
}

ODONATA_MPI(int, Comm_get_info, (MPI_Comm comm, MPI_Info* info)) {
  return call(Function::Comm_get_info, comm, [&] {
    const std::shared_ptr<Info>& found = comm_of(comm)->info;
    out(info) =
        handles().infos.add(found ? std::make_shared<Info>(*found) : std::make_shared<Info>());
  });
}

// ---- handles in Fortran

ODONATA_MPI(MPI_Fint, Comm_c2f, (MPI_Comm comm)) { return abi::to_integer(MPI_COMM_NULL, comm); }
ODONATA_MPI(MPI_Comm, Comm_f2c, (MPI_Fint comm)) { return abi::from_integer(MPI_COMM_NULL, comm); }
ODONATA_MPI(int, Comm_toint, (MPI_Comm comm)) { return abi::to_integer(MPI_COMM_NULL, comm); }
ODONATA_MPI(MPI_Comm, Comm_fromint, (int comm)) { return abi::from_integer(MPI_COMM_NULL, comm); }

}  // namespace odonata::libmpi::api
