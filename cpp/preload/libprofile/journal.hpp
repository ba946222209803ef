// Records of the calls of a rank, as odonata mpirun writes them of the same program.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "odonata/trace/functions.hpp"
#include "odonata/trace/identity.hpp"
#include "preload/libprofile/collected.hpp"
#include "preload/libprofile/communicators.hpp"
#include "preload/libprofile/log_file.hpp"
#include "preload/libprofile/requests.hpp"
#include "preload/libprofile/ticks.hpp"

namespace odonata::libprofile {

using trace::Found;
using trace::Function;
using trace::Op;
using Outcomes = std::vector<trace::Outcome>;

/// A message, as the arguments of a call say it.
struct Message {
  std::int64_t bytes = 0;
  int rank = 0;  // in the communicator, as MPI has it
  int tag = 0;
  MPI_Comm comm{};
};

class Journal {
 public:
  explicit Journal(Communicators& communicators) : communicators_(communicators) {}

  /// Starts after MPI_Init, which began at this tick; false if there can be no file.
  bool start(const std::string& folder, int rank, int ranks, std::uint64_t began, bool counter,
             const TickLength& tick);
  void stop(const TickLength& tick);

  // ---- a call: its records are reported between these
  void enter(Function function, std::uint64_t began, std::uint64_t ended);
  void leave();
  /// A call that has no effect on the network, or that has failed.
  void pass(Function function, std::uint64_t began, std::uint64_t ended) {
    enter(function, began, ended);
    leave();
  }

  // ---- messages
  void send(trace::Mode mode, const Message& message);
  void isend(trace::Mode mode, const Message& message, MPI_Request request);
  void recv(const Message& message, const MPI_Status& status);
  void irecv(const Message& message, MPI_Request request);
  void sendrecv(const Message& out, const Message& in, const MPI_Status& status);
  void isendrecv(const Message& out, const Message& in, MPI_Request request);
  void send_init(trace::Mode mode, const Message& message, MPI_Request request);
  void recv_init(const Message& message, MPI_Request request);
  void psend_init(const Message& message, int partitions, MPI_Request request);
  void precv_init(const Message& message, MPI_Request request);
  void ready(MPI_Request request, int partitions);

  // ---- probes
  void probe(const Message& message, const MPI_Status& status);
  void iprobe(const Message& message, bool found, const MPI_Status& status);
  void mprobe(const Message& message, MPI_Message matched, const MPI_Status& status);
  void improbe(const Message& message, bool found, MPI_Message matched, const MPI_Status& status);
  void mrecv(MPI_Message matched, std::int64_t bytes);
  void imrecv(MPI_Message matched, std::int64_t bytes, MPI_Request request);

  // ---- requests
  /// The requests of a call that may complete them, before it is made.
  [[nodiscard]] Listed list(int count, const MPI_Request* handles) {
    return requests_.list(count, handles);
  }
  void start_requests(const Listed& listed);
  void wait_all(const Listed& listed, const MPI_Status* statuses);
  void test_all(const Listed& listed, bool done, const MPI_Status* statuses);
  void any(Op op, const Listed& listed, int index, const MPI_Status& status);
  void some(Op op, const Listed& listed, int count, const int* indices, const MPI_Status* statuses);
  /// A test that leaves the request as it is.
  void look(const Listed& listed, std::size_t place, bool done, const MPI_Status* status);
  void cancel(const Listed& listed);
  void free(const Listed& listed);

  // ---- collectives
  void collective(const Comm& comm, const Collected& made);
  void icollective(const Comm& comm, const Collected& made, MPI_Request request);
  void collective_init(Comm& comm, const Collected& made, MPI_Request request);

  // ---- communicators
  /// One with its number.
  Comm& comm(MPI_Comm handle);
  /// `made` is null where the rank is no member.
  void made_together(MPI_Comm parent, MPI_Comm made);
  void duplicating(MPI_Comm parent, MPI_Comm made, MPI_Request request);
  void made_of_group(MPI_Comm parent, int tag, MPI_Comm made);
  void made_between(MPI_Comm local, int leader, MPI_Comm peers, int remote, int tag, MPI_Comm made);

  // ---- others
  void clock();
  void phase(int level);
  void abort(int code);
  void finalize();

 private:
  void report(trace::Call call, std::span<const std::uint64_t> words = {},
              Found found = Found::unknown, std::span<const trace::Outcome> outcomes = {});
  [[nodiscard]] trace::Call call_on(Op op, const Comm& comm) const;
  [[nodiscard]] trace::Call send_call(Op op, trace::Mode mode, const Message& message);
  [[nodiscard]] trace::Call receive_call(Op op, const Message& message);
  [[nodiscard]] trace::Call probe_call(Op op, const Message& message);
  [[nodiscard]] trace::Outcome outcome_of(const Comm& comm, const MPI_Status& status) const;

  void create(Comm& comm, std::uint64_t identity);
  void note_creation(const Comm& comm);
  void note_cost(const Comm& parent);
  std::uint32_t companion(Comm& parent, std::uint64_t key);
  [[nodiscard]] std::int32_t leader_of(const Comm& parent, const Comm& made) const;

  Tracked& track(Kind kind, const trace::Call& call, MPI_Request request, const Comm* peers);
  void begin(Tracked& request);
  void begin_receive(Tracked& request);
  void send_partitions(Tracked& request);
  [[nodiscard]] bool undecided(const trace::Receive& call) const;
  void complete(Op op, const std::vector<Tracked*>& all, const std::vector<Tracked*>& done,
                const std::vector<const MPI_Status*>& statuses, Found found);
  [[nodiscard]] trace::Outcome complete_one(Tracked& request, const MPI_Status* status);
  void test_partitions(const Listed& listed, bool done);
  [[nodiscard]] bool was_cancelled(const Tracked& request, const MPI_Status* status);

  Communicators& communicators_;
  LogFile file_;
  Requests requests_;
  trace::AgreedIdentities agreed_;
  std::unordered_map<std::uint64_t, trace::Call> messages_;  // that probes have matched
  std::uint32_t next_comm_ = 2;
  int num_undecided_ = 0;  // receives whose message depends on time
  std::int32_t rank_ = 0;
  std::int64_t num_calls_ = 0;  // records so far

  // The call at hand.
  Function function_{};
  std::uint64_t began_ = 0, ended_ = 0;
  int reported_ = 0;
  bool whole_ = true;
  std::vector<trace::Match> matches_;
};

}  // namespace odonata::libprofile
