// Meaning of calls: their messages, by the function and its arguments. A function without a note is
// counted and timed, and no more.
#pragma once

#include "preload/libprofile/collectives.hpp"
#include "preload/libprofile/recorder.hpp"

namespace odonata::libprofile {

/// Notes a call that has succeeded.
template <Function function>
struct Note {
  static constexpr bool notes = false;
  static void after(Recorder&, const auto&...) {}
};

/// Notes a call before it is made, as it makes its arguments invalid.
template <Function function>
struct NoteBefore {
  static constexpr bool notes = false;
  static void before(Recorder&, const auto&...) {}
};

#define ODONATA_NOTE(name, kind)                                                                   \
  template <>                                                                                      \
  struct Note<Function::name> : kind<Function::name> {                                             \
    static constexpr bool notes = true;                                                            \
  };
#define ODONATA_NOTE_BEFORE(name, kind)                                                            \
  template <>                                                                                      \
  struct NoteBefore<Function::name> : kind<Function::name> {                                       \
    static constexpr bool notes = true;                                                            \
  };
#define ODONATA_NOTES(name, kind) ODONATA_NOTE(name, kind) ODONATA_NOTE(name##_c, kind)

// ---- messages

template <Function function>
struct Sends {
  static void after(Recorder& to, const void*, auto count, MPI_Datatype type, int rank, int,
                    MPI_Comm comm, auto...) {
    to.note(function, to.sent(count, type, rank, comm));
  }
};

template <Function function>
struct SendsLater {
  static void after(Recorder& to, const void*, auto count, MPI_Datatype type, int rank, int,
                    MPI_Comm comm, MPI_Request* request) {
    to.keep(*request, to.sent(count, type, rank, comm));
  }
};

template <Function function>
struct Exchanges {
  static void after(Recorder& to, const void*, auto count, MPI_Datatype type, int rank, int, void*,
                    auto, MPI_Datatype, int, int, MPI_Comm comm, auto...) {
    to.note(function, to.sent(count, type, rank, comm));
  }
};

template <Function function>
struct Replaces {
  static void after(Recorder& to, void*, auto count, MPI_Datatype type, int rank, int, int, int,
                    MPI_Comm comm, auto...) {
    to.note(function, to.sent(count, type, rank, comm));
  }
};

ODONATA_NOTES(Send, Sends)
ODONATA_NOTES(Bsend, Sends)
ODONATA_NOTES(Ssend, Sends)
ODONATA_NOTES(Rsend, Sends)
ODONATA_NOTES(Isend, Sends)
ODONATA_NOTES(Ibsend, Sends)
ODONATA_NOTES(Issend, Sends)
ODONATA_NOTES(Irsend, Sends)
ODONATA_NOTES(Send_init, SendsLater)
ODONATA_NOTES(Bsend_init, SendsLater)
ODONATA_NOTES(Ssend_init, SendsLater)
ODONATA_NOTES(Rsend_init, SendsLater)
ODONATA_NOTES(Sendrecv, Exchanges)
ODONATA_NOTES(Isendrecv, Exchanges)
ODONATA_NOTES(Sendrecv_replace, Replaces)
ODONATA_NOTES(Isendrecv_replace, Replaces)

// ---- partitioned messages: sent when their last partition is ready

template <Function function>
struct SendsPartitions {
  static void after(Recorder& to, const void*, int partitions, MPI_Count count, MPI_Datatype type,
                    int rank, int, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    to.keep(*request, to.sent(partitions * static_cast<std::int64_t>(count), type, rank, comm),
            partitions);
  }
};

template <Function function>
struct Readies {
  static void after(Recorder& to, int, MPI_Request request) { to.ready(function, request, 1); }
};

template <Function function>
struct ReadiesRange {
  static void after(Recorder& to, int first, int last, MPI_Request request) {
    to.ready(function, request, last - first + 1);
  }
};

template <Function function>
struct ReadiesList {
  static void after(Recorder& to, int length, const int*, MPI_Request request) {
    to.ready(function, request, length);
  }
};

ODONATA_NOTE(Psend_init, SendsPartitions)
ODONATA_NOTE(Pready, Readies)
ODONATA_NOTE(Pready_range, ReadiesRange)
ODONATA_NOTE(Pready_list, ReadiesList)

// ---- requests, and handles that come to mean something else

template <Function function>
struct Starts {
  static void after(Recorder& to, MPI_Request* request) { to.begin(function, *request); }
};

template <Function function>
struct StartsAll {
  static void after(Recorder& to, int count, MPI_Request* requests) {
    for (int i = 0; i < count; ++i) to.begin(function, requests[i]);
  }
};

template <Function function>
struct FreesRequest {
  static void before(Recorder& to, MPI_Request* request) {
    if (request != nullptr) to.drop(*request);
  }
};

template <Function function>
struct FreesComm {
  static void before(Recorder& to, MPI_Comm* comm) {
    if (comm != nullptr) to.forget(*comm);
  }
};

template <Function function>
struct FreesType {
  static void before(Recorder& to, MPI_Datatype*) { to.forget_types(); }
};

ODONATA_NOTE(Start, Starts)
ODONATA_NOTE(Startall, StartsAll)
ODONATA_NOTE_BEFORE(Request_free, FreesRequest)
ODONATA_NOTE_BEFORE(Comm_free, FreesComm)
ODONATA_NOTE_BEFORE(Comm_disconnect, FreesComm)
ODONATA_NOTE_BEFORE(Type_free, FreesType)

// ---- collectives: each has six forms

template <class Operation>
struct Forms {
  static constexpr std::size_t place = Operation::arguments;  // of the communicator

  template <Function function>
  struct Runs {
    static void after(Recorder& to, const auto&... arguments) {
      to.note(function, collected<Operation>(to, std::tie(arguments...)));
    }
  };
  template <Function function>
  struct Prepares {
    static void after(Recorder& to, const auto&... arguments) {
      const auto all = std::tie(arguments...);
      to.keep(*std::get<place + 2>(all), collected<Operation>(to, all));  // an info is between
    }
  };
};

#define ODONATA_COLLECTIVE(name, inner, operation)                                                 \
  ODONATA_NOTES(name, Forms<operation>::Runs)                                                      \
  ODONATA_NOTES(I##inner, Forms<operation>::Runs)                                                  \
  ODONATA_NOTE(name##_init, Forms<operation>::Prepares)                                            \
  ODONATA_NOTE(name##_init_c, Forms<operation>::Prepares)

ODONATA_NOTE(Barrier, Forms<Barrier>::Runs)
ODONATA_NOTE(Ibarrier, Forms<Barrier>::Runs)
ODONATA_NOTE(Barrier_init, Forms<Barrier>::Prepares)
#include "preload/libprofile/collectives.inc"

#undef ODONATA_NOTE
#undef ODONATA_NOTE_BEFORE
#undef ODONATA_NOTES
#undef ODONATA_COLLECTIVE

}  // namespace odonata::libprofile
