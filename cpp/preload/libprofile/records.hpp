// Records of calls, by the function and its arguments: `before` keeps data that the call takes away
// (handles, statuses that the program ignores), `after` writes the records of a call that has
// succeeded. A function without an entry has no effect on the network.
#pragma once

#include "preload/libprofile/collectives.hpp"
#include "preload/libprofile/recorder.hpp"

namespace odonata::libprofile {

/// A call at trace depth.
struct Traced {
  Recorder& to;
  Journal& journal;
  Listed listed;
  MPI_Message message{};  // that the call receives

  /// A status of our own where the program wants none.
  void keep_status(MPI_Status*& status) { keep_statuses(status, 1); }
  void keep_statuses(MPI_Status*& statuses, int count) {
    if (statuses != MPI_STATUS_IGNORE && statuses != MPI_STATUSES_IGNORE) return;
    listed.statuses.resize(static_cast<std::size_t>(count > 0 ? count : 1));
    statuses = listed.statuses.data();
  }
  void list(int count, const MPI_Request* requests) {
    std::vector<MPI_Status> kept = std::move(listed.statuses);
    listed = journal.list(count, requests);
    listed.statuses = std::move(kept);
  }
  [[nodiscard]] Message message_of(std::int64_t count, MPI_Datatype type, int rank, int tag,
                                   MPI_Comm comm) const {
    const bool nobody = rank == MPI_PROC_NULL && type == type_null();
    return {nobody ? 0 : to.bytes(count, type), rank, tag, comm};
  }
};

template <Function function>
struct Record {
  static constexpr bool records = false;
  static void before(Traced&, const auto&...) {}
  static void after(Traced&, const auto&...) {}
};

#define ODONATA_RECORD(name, ...)                                                                  \
  template <>                                                                                      \
  struct Record<Function::name> : __VA_ARGS__ {                                                    \
    static constexpr bool records = true;                                                          \
  };
#define ODONATA_RECORDS(name, ...)                                                                 \
  ODONATA_RECORD(name, __VA_ARGS__) ODONATA_RECORD(name##_c, __VA_ARGS__)

struct NothingBefore {
  static void before(Traced&, const auto&...) {}
};

// ---- messages

template <trace::Mode mode>
struct SendRecord : NothingBefore {
  static void after(Traced& t, const void*, auto count, MPI_Datatype type, int rank, int tag,
                    MPI_Comm comm) {
    t.journal.send(mode, t.message_of(count, type, rank, tag, comm));
  }
};

template <trace::Mode mode>
struct IsendRecord : NothingBefore {
  static void after(Traced& t, const void*, auto count, MPI_Datatype type, int rank, int tag,
                    MPI_Comm comm, MPI_Request* request) {
    t.journal.isend(mode, t.message_of(count, type, rank, tag, comm), *request);
  }
};

template <trace::Mode mode>
struct SendInitRecord : NothingBefore {
  static void after(Traced& t, const void*, auto count, MPI_Datatype type, int rank, int tag,
                    MPI_Comm comm, MPI_Request* request) {
    t.journal.send_init(mode, t.message_of(count, type, rank, tag, comm), *request);
  }
};

struct RecvRecord {
  static void before(Traced& t, void*, auto, MPI_Datatype, int, int, MPI_Comm,
                     MPI_Status*& status) {
    t.keep_status(status);
  }
  static void after(Traced& t, void*, auto count, MPI_Datatype type, int rank, int tag,
                    MPI_Comm comm, MPI_Status* status) {
    t.journal.recv(t.message_of(count, type, rank, tag, comm), *status);
  }
};

struct IrecvRecord : NothingBefore {
  static void after(Traced& t, void*, auto count, MPI_Datatype type, int rank, int tag,
                    MPI_Comm comm, MPI_Request* request) {
    t.journal.irecv(t.message_of(count, type, rank, tag, comm), *request);
  }
};

struct RecvInitRecord : NothingBefore {
  static void after(Traced& t, void*, auto count, MPI_Datatype type, int rank, int tag,
                    MPI_Comm comm, MPI_Request* request) {
    t.journal.recv_init(t.message_of(count, type, rank, tag, comm), *request);
  }
};

struct SendrecvRecord {
  static void before(Traced& t, const void*, auto, MPI_Datatype, int, int, void*, auto,
                     MPI_Datatype, int, int, MPI_Comm, MPI_Status*& status) {
    t.keep_status(status);
  }
  static void after(Traced& t, const void*, auto sent, MPI_Datatype send_type, int to, int send_tag,
                    void*, auto received, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                    MPI_Status* status) {
    t.journal.sendrecv(t.message_of(sent, send_type, to, send_tag, comm),
                       t.message_of(received, type, from, tag, comm), *status);
  }
};

struct SendrecvReplaceRecord {
  static void before(Traced& t, void*, auto, MPI_Datatype, int, int, int, int, MPI_Comm,
                     MPI_Status*& status) {
    t.keep_status(status);
  }
  static void after(Traced& t, void*, auto count, MPI_Datatype type, int to, int send_tag, int from,
                    int tag, MPI_Comm comm, MPI_Status* status) {
    t.journal.sendrecv(t.message_of(count, type, to, send_tag, comm),
                       t.message_of(count, type, from, tag, comm), *status);
  }
};

struct IsendrecvRecord : NothingBefore {
  static void after(Traced& t, const void*, auto sent, MPI_Datatype send_type, int to, int send_tag,
                    void*, auto received, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                    MPI_Request* request) {
    t.journal.isendrecv(t.message_of(sent, send_type, to, send_tag, comm),
                        t.message_of(received, type, from, tag, comm), *request);
  }
};

struct IsendrecvReplaceRecord : NothingBefore {
  static void after(Traced& t, void*, auto count, MPI_Datatype type, int to, int send_tag, int from,
                    int tag, MPI_Comm comm, MPI_Request* request) {
    t.journal.isendrecv(t.message_of(count, type, to, send_tag, comm),
                        t.message_of(count, type, from, tag, comm), *request);
  }
};

#define ODONATA_SENDS(blocking, nonblocking, mode)                                                 \
  ODONATA_RECORDS(blocking, SendRecord<trace::Mode::mode>)                                         \
  ODONATA_RECORDS(nonblocking, IsendRecord<trace::Mode::mode>)                                     \
  ODONATA_RECORDS(blocking##_init, SendInitRecord<trace::Mode::mode>)
ODONATA_SENDS(Send, Isend, standard)
ODONATA_SENDS(Bsend, Ibsend, buffered)
ODONATA_SENDS(Ssend, Issend, synchronous)
ODONATA_SENDS(Rsend, Irsend, ready)
ODONATA_RECORDS(Recv, RecvRecord)
ODONATA_RECORDS(Irecv, IrecvRecord)
ODONATA_RECORDS(Recv_init, RecvInitRecord)
ODONATA_RECORDS(Sendrecv, SendrecvRecord)
ODONATA_RECORDS(Sendrecv_replace, SendrecvReplaceRecord)
ODONATA_RECORDS(Isendrecv, IsendrecvRecord)
ODONATA_RECORDS(Isendrecv_replace, IsendrecvReplaceRecord)
#undef ODONATA_SENDS

// ---- partitioned messages

struct PsendInitRecord : NothingBefore {
  static void after(Traced& t, const void*, int partitions, MPI_Count count, MPI_Datatype type,
                    int rank, int tag, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    const std::int64_t all = partitions * static_cast<std::int64_t>(count);
    t.journal.psend_init(t.message_of(all, type, rank, tag, comm), partitions, *request);
  }
};

struct PrecvInitRecord : NothingBefore {
  static void after(Traced& t, void*, int partitions, MPI_Count count, MPI_Datatype type, int rank,
                    int tag, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    const std::int64_t all = partitions * static_cast<std::int64_t>(count);
    t.journal.precv_init(t.message_of(all, type, rank, tag, comm), *request);
  }
};

struct PreadyRecord : NothingBefore {
  static void after(Traced& t, int, MPI_Request request) { t.journal.ready(request, 1); }
};

struct PreadyRangeRecord : NothingBefore {
  static void after(Traced& t, int first, int last, MPI_Request request) {
    t.journal.ready(request, last - first + 1);
  }
};

struct PreadyListRecord : NothingBefore {
  static void after(Traced& t, int length, const int*, MPI_Request request) {
    t.journal.ready(request, length);
  }
};

struct ParrivedRecord {
  static void before(Traced& t, MPI_Request request, int, int*) { t.list(1, &request); }
  static void after(Traced& t, MPI_Request, int, const int* flag) {
    t.journal.look(t.listed, 0, *flag != 0, nullptr);
  }
};

ODONATA_RECORD(Psend_init, PsendInitRecord)
ODONATA_RECORD(Precv_init, PrecvInitRecord)
ODONATA_RECORD(Pready, PreadyRecord)
ODONATA_RECORD(Pready_range, PreadyRangeRecord)
ODONATA_RECORD(Pready_list, PreadyListRecord)
ODONATA_RECORD(Parrived, ParrivedRecord)

// ---- probes

struct ProbeRecord {
  static void before(Traced& t, int, int, MPI_Comm, MPI_Status*& status) { t.keep_status(status); }
  static void after(Traced& t, int rank, int tag, MPI_Comm comm, MPI_Status* status) {
    t.journal.probe({0, rank, tag, comm}, *status);
  }
};

struct IprobeRecord {
  static void before(Traced& t, int, int, MPI_Comm, int*, MPI_Status*& status) {
    t.keep_status(status);
  }
  static void after(Traced& t, int rank, int tag, MPI_Comm comm, const int* flag,
                    MPI_Status* status) {
    t.journal.iprobe({0, rank, tag, comm}, *flag != 0, *status);
  }
};

struct MprobeRecord {
  static void before(Traced& t, int, int, MPI_Comm, MPI_Message*, MPI_Status*& status) {
    t.keep_status(status);
  }
  static void after(Traced& t, int rank, int tag, MPI_Comm comm, MPI_Message* message,
                    MPI_Status* status) {
    t.journal.mprobe({0, rank, tag, comm}, *message, *status);
  }
};

struct ImprobeRecord {
  static void before(Traced& t, int, int, MPI_Comm, int*, MPI_Message*, MPI_Status*& status) {
    t.keep_status(status);
  }
  static void after(Traced& t, int rank, int tag, MPI_Comm comm, const int* flag,
                    MPI_Message* message, MPI_Status* status) {
    t.journal.improbe({0, rank, tag, comm}, *flag != 0, *message, *status);
  }
};

struct MrecvRecord {
  static void before(Traced& t, void*, auto, MPI_Datatype, MPI_Message* message, auto*) {
    t.message = *message;
  }
  static void after(Traced& t, void*, auto count, MPI_Datatype type, MPI_Message*, MPI_Status*) {
    t.journal.mrecv(t.message, t.to.bytes(count, type));
  }
};

struct ImrecvRecord : MrecvRecord {
  static void after(Traced& t, void*, auto count, MPI_Datatype type, MPI_Message*,
                    MPI_Request* request) {
    t.journal.imrecv(t.message, t.to.bytes(count, type), *request);
  }
};

ODONATA_RECORD(Probe, ProbeRecord)
ODONATA_RECORD(Iprobe, IprobeRecord)
ODONATA_RECORD(Mprobe, MprobeRecord)
ODONATA_RECORD(Improbe, ImprobeRecord)
ODONATA_RECORDS(Mrecv, MrecvRecord)
ODONATA_RECORDS(Imrecv, ImrecvRecord)

// ---- requests

struct OneRequest {
  static void before(Traced& t, MPI_Request* request, auto&...) { t.list(1, request); }
};

struct StartRecord : OneRequest {
  static void after(Traced& t, MPI_Request*) { t.journal.start_requests(t.listed); }
};

struct StartallRecord {
  static void before(Traced& t, int count, MPI_Request* requests) { t.list(count, requests); }
  static void after(Traced& t, int, MPI_Request*) { t.journal.start_requests(t.listed); }
};

struct CancelRecord : OneRequest {
  static void after(Traced& t, MPI_Request*) { t.journal.cancel(t.listed); }
};

struct FreeRecord : OneRequest {
  static void after(Traced& t, MPI_Request*) { t.journal.free(t.listed); }
};

struct WaitRecord {
  static void before(Traced& t, MPI_Request* request, MPI_Status*& status) {
    t.list(1, request);
    t.keep_status(status);
  }
  static void after(Traced& t, MPI_Request*, MPI_Status* status) {
    t.journal.wait_all(t.listed, status);
  }
};

struct WaitallRecord {
  static void before(Traced& t, int count, MPI_Request* requests, MPI_Status*& statuses) {
    t.list(count, requests);
    t.keep_statuses(statuses, count);
  }
  static void after(Traced& t, int, MPI_Request*, MPI_Status* statuses) {
    t.journal.wait_all(t.listed, statuses);
  }
};

struct TestRecord {
  static void before(Traced& t, MPI_Request* request, int*, MPI_Status*& status) {
    t.list(1, request);
    t.keep_status(status);
  }
  static void after(Traced& t, MPI_Request*, const int* flag, MPI_Status* status) {
    t.journal.test_all(t.listed, *flag != 0, status);
  }
};

struct TestallRecord {
  static void before(Traced& t, int count, MPI_Request* requests, int*, MPI_Status*& statuses) {
    t.list(count, requests);
    t.keep_statuses(statuses, count);
  }
  static void after(Traced& t, int, MPI_Request*, const int* flag, MPI_Status* statuses) {
    t.journal.test_all(t.listed, *flag != 0, statuses);
  }
};

struct WaitanyRecord {
  static void before(Traced& t, int count, MPI_Request* requests, int*, MPI_Status*& status) {
    t.list(count, requests);
    t.keep_status(status);
  }
  static void after(Traced& t, int, MPI_Request*, const int* index, MPI_Status* status) {
    t.journal.any(Op::wait_any, t.listed, *index, *status);
  }
};

struct TestanyRecord {
  static void before(Traced& t, int count, MPI_Request* requests, int*, int*, MPI_Status*& status) {
    t.list(count, requests);
    t.keep_status(status);
  }
  static void after(Traced& t, int, MPI_Request*, const int* index, const int* flag,
                    MPI_Status* status) {
    t.journal.any(Op::test_any, t.listed, *flag != 0 ? *index : MPI_UNDEFINED, *status);
  }
};

template <Op op>
struct SomeRecord {
  static void before(Traced& t, int count, MPI_Request* requests, int*, int*,
                     MPI_Status*& statuses) {
    t.list(count, requests);
    t.keep_statuses(statuses, count);
  }
  static void after(Traced& t, int, MPI_Request*, const int* count, const int* indices,
                    MPI_Status* statuses) {
    t.journal.some(op, t.listed, *count, indices, statuses);
  }
};

struct LookRecord {
  static void before(Traced& t, MPI_Request request, int*, MPI_Status*& status) {
    t.list(1, &request);
    t.keep_status(status);
  }
  static void after(Traced& t, MPI_Request, const int* flag, MPI_Status* status) {
    t.journal.look(t.listed, 0, *flag != 0, status);
  }
};

ODONATA_RECORD(Start, StartRecord)
ODONATA_RECORD(Startall, StartallRecord)
ODONATA_RECORD(Cancel, CancelRecord)
ODONATA_RECORD(Request_free, FreeRecord)
ODONATA_RECORD(Wait, WaitRecord)
ODONATA_RECORD(Waitall, WaitallRecord)
ODONATA_RECORD(Test, TestRecord)
ODONATA_RECORD(Testall, TestallRecord)
ODONATA_RECORD(Waitany, WaitanyRecord)
ODONATA_RECORD(Testany, TestanyRecord)
ODONATA_RECORD(Waitsome, SomeRecord<Op::wait_some>)
ODONATA_RECORD(Testsome, SomeRecord<Op::test_some>)
ODONATA_RECORD(Request_get_status, LookRecord)

// ---- collectives: each has six forms

template <class Operation>
struct CollectiveForms {
  static constexpr std::size_t place = Operation::arguments;  // of the communicator

  struct Runs : NothingBefore {
    static void after(Traced& t, const auto&... arguments) {
      const auto all = std::tie(arguments...);
      t.journal.collective(t.journal.comm(std::get<place>(all)), collected<Operation>(t.to, all));
    }
  };
  struct Begins : NothingBefore {
    static void after(Traced& t, const auto&... arguments) {
      const auto all = std::tie(arguments...);
      t.journal.icollective(t.journal.comm(std::get<place>(all)), collected<Operation>(t.to, all),
                            *std::get<place + 1>(all));
    }
  };
  struct Prepares : NothingBefore {
    static void after(Traced& t, const auto&... arguments) {
      const auto all = std::tie(arguments...);  // an info is between
      t.journal.collective_init(t.journal.comm(std::get<place>(all)),
                                collected<Operation>(t.to, all), *std::get<place + 2>(all));
    }
  };
};

#define ODONATA_COLLECTIVE(name, inner, operation)                                                 \
  ODONATA_RECORDS(name, CollectiveForms<operation>::Runs)                                          \
  ODONATA_RECORDS(I##inner, CollectiveForms<operation>::Begins)                                    \
  ODONATA_RECORD(name##_init, CollectiveForms<operation>::Prepares)                                \
  ODONATA_RECORD(name##_init_c, CollectiveForms<operation>::Prepares)

ODONATA_RECORD(Barrier, CollectiveForms<Barrier>::Runs)
ODONATA_RECORD(Ibarrier, CollectiveForms<Barrier>::Begins)
ODONATA_RECORD(Barrier_init, CollectiveForms<Barrier>::Prepares)
#include "preload/libprofile/collectives.inc"
#undef ODONATA_COLLECTIVE

// ---- communicators

/// The parent comes first, the new one last.
struct MakesTogether : NothingBefore {
  static void after(Traced& t, MPI_Comm parent, const auto&... rest) {
    const auto all = std::tie(rest...);
    t.journal.made_together(parent, *std::get<sizeof...(rest) - 1>(all));
  }
};

struct DuplicatesLater : NothingBefore {
  static void after(Traced& t, MPI_Comm parent, const auto&... rest) {
    const auto all = std::tie(rest...);
    t.journal.duplicating(parent, *std::get<sizeof...(rest) - 2>(all),
                          *std::get<sizeof...(rest) - 1>(all));
  }
};

struct MakesOfGroup : NothingBefore {
  static void after(Traced& t, MPI_Comm parent, MPI_Group, int tag, MPI_Comm* made) {
    t.journal.made_of_group(parent, tag, *made);
  }
};

struct MakesBetween : NothingBefore {
  static void after(Traced& t, MPI_Comm local, int leader, MPI_Comm peers, int remote, int tag,
                    MPI_Comm* made) {
    t.journal.made_between(local, leader, peers, remote, tag, *made);
  }
};

ODONATA_RECORD(Comm_dup, MakesTogether)
ODONATA_RECORD(Comm_dup_with_info, MakesTogether)
ODONATA_RECORD(Comm_idup, DuplicatesLater)
ODONATA_RECORD(Comm_idup_with_info, DuplicatesLater)
ODONATA_RECORD(Comm_create, MakesTogether)
ODONATA_RECORD(Comm_create_group, MakesOfGroup)
ODONATA_RECORD(Comm_split, MakesTogether)
ODONATA_RECORD(Comm_split_type, MakesTogether)
ODONATA_RECORD(Cart_create, MakesTogether)
ODONATA_RECORD(Cart_sub, MakesTogether)
ODONATA_RECORD(Graph_create, MakesTogether)
ODONATA_RECORD(Dist_graph_create, MakesTogether)
ODONATA_RECORD(Dist_graph_create_adjacent, MakesTogether)
ODONATA_RECORD(Intercomm_create, MakesBetween)
ODONATA_RECORD(Intercomm_merge, MakesTogether)

// ---- others

struct WtimeRecord : NothingBefore {
  static void after(Traced& t) { t.journal.clock(); }
};
ODONATA_RECORD(Wtime, WtimeRecord)

#undef ODONATA_RECORD
#undef ODONATA_RECORDS

}  // namespace odonata::libprofile
