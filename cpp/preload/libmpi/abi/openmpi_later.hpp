// Declarations that Open MPI's mpi.h lacks: functions of MPI-4 and MPI-5, which our library has in
// every ABI.
#pragma once

namespace odonata::libmpi::abi {

template <class Function>
struct Persistent;
template <class... Args>
struct Persistent<int(Args...)> {
  using Init = int(Args..., MPI_Info, MPI_Request*);
};

}  // namespace odonata::libmpi::abi

#define ODONATA_PERSISTENT(name)                                                                   \
  odonata::libmpi::abi::Persistent<decltype(PMPI_##name)>::Init PMPI_##name##_init;

extern "C" {

ODONATA_PERSISTENT(Allgather)
ODONATA_PERSISTENT(Allgatherv)
ODONATA_PERSISTENT(Allreduce)
ODONATA_PERSISTENT(Alltoall)
ODONATA_PERSISTENT(Alltoallv)
ODONATA_PERSISTENT(Alltoallw)
ODONATA_PERSISTENT(Barrier)
ODONATA_PERSISTENT(Bcast)
ODONATA_PERSISTENT(Exscan)
ODONATA_PERSISTENT(Gather)
ODONATA_PERSISTENT(Gatherv)
ODONATA_PERSISTENT(Neighbor_allgather)
ODONATA_PERSISTENT(Neighbor_allgatherv)
ODONATA_PERSISTENT(Neighbor_alltoall)
ODONATA_PERSISTENT(Neighbor_alltoallv)
ODONATA_PERSISTENT(Neighbor_alltoallw)
ODONATA_PERSISTENT(Reduce)
ODONATA_PERSISTENT(Reduce_scatter)
ODONATA_PERSISTENT(Reduce_scatter_block)
ODONATA_PERSISTENT(Scan)
ODONATA_PERSISTENT(Scatter)
ODONATA_PERSISTENT(Scatterv)

int PMPI_Abi_get_info(MPI_Info* info);
int PMPI_Abi_get_version(int* major, int* minor);
int PMPI_Buffer_flush(void);
int PMPI_Buffer_iflush(MPI_Request* request);
int PMPI_Comm_attach_buffer(MPI_Comm comm, void* buffer, int size);
int PMPI_Comm_detach_buffer(MPI_Comm comm, void* buffer, int* size);
int PMPI_Comm_flush_buffer(MPI_Comm comm);
int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* result, MPI_Request* request);
int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request);
int PMPI_Get_hw_resource_info(MPI_Info* info);
int PMPI_Info_create_env(int argc, char* argv[], MPI_Info* info);
int PMPI_Info_get_string(MPI_Info info, const char* key, int* length, char* value, int* flag);
int PMPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Request* request);
int PMPI_Isendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Request* request);
int PMPI_Remove_error_class(int error_class);
int PMPI_Remove_error_code(int code);
int PMPI_Remove_error_string(int code);
int PMPI_Request_get_status_all(int count, const MPI_Request list[], int* flag,
                                MPI_Status* statuses);
int PMPI_Request_get_status_any(int count, const MPI_Request list[], int* index, int* flag,
                                MPI_Status* status);
int PMPI_Request_get_status_some(int count, const MPI_Request list[], int* done, int indices[],
                                 MPI_Status* statuses);
int PMPI_Status_get_error(const MPI_Status* status, int* error);
int PMPI_Status_get_source(const MPI_Status* status, int* source);
int PMPI_Status_get_tag(const MPI_Status* status, int* tag);
int PMPI_Status_set_error(MPI_Status* status, int error);
int PMPI_Status_set_source(MPI_Status* status, int source);
int PMPI_Status_set_tag(MPI_Status* status, int tag);

}  // extern "C"

#undef ODONATA_PERSISTENT
