// The MPI layer: ranks, requests and messages of all jobs on one network.
//
// A rank's processor pays overheads in turn (`cpu_free`); the network runs beside it.
//
//     eager       send overhead | data -> match -> receive overhead
//     rendezvous  send overhead | request -> match -> receive overhead | answer -> data ->
//
// Messages of a pair of ranks are matched in the order in which they were sent.
//
// A rank's main strand is its program. Other strands run beside it (nonblocking collectives): they
// share its processor and its mailbox, and wait for requests of their own.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "odonata/engine/network.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/event/table.hpp"
#include "odonata/mpi/lookahead.hpp"
#include "odonata/mpi/mailbox.hpp"
#include "odonata/mpi/message.hpp"
#include "odonata/mpi/pair_table.hpp"
#include "odonata/mpi/statistics.hpp"
#include "odonata/mpi/task.hpp"

namespace odonata {

class Rank;

/// A pending operation; number 0 is one that was complete at once.
struct Request {
  std::uint32_t id = 0;
};

/// What a completed receive, or a probe, found.
struct Status {
  std::int32_t source = any_source;  // rank of the job
  std::int32_t tag = any_tag;
  Bytes bytes = 0;
  std::uint32_t serial = 0;  // as the sender gave it
  bool cancelled = false;
};

/// A message that a matched probe has taken: it waits for its receive.
struct Taken {
  std::uint32_t message = 0;  // slot
  Status status;
};

/// How a message is sent.
struct Sending {
  SendMode mode = SendMode::standard;
  std::uint32_t serial = 0;  // for the receiver's Status; any number
};

/// What waits: a rank's main strand has the rank's number, others are negative.
using Strand = std::int32_t;

/// A rank program: called once a rank.
using Program = std::function<Task(Rank)>;

struct JobSpec {
  std::vector<std::int32_t> nodes;  // [ranks] node of each rank
  Program program;
  bool background = false;      // ends when no other job is left
  bool record_messages = false; // keep a MessageRecord each
  Memory* memory = nullptr;
};

class World final : public Receiver {
 public:
  World(const Machine& machine, const MpiOptions& options, Clock& clock, std::uint64_t seed);

  void connect(Network& network) { network_ = &network; }
  /// Adds a job; its ranks are numbered on from those of earlier jobs. Returns its number.
  int add(JobSpec job);
  /// Lets every rank run to its first wait.
  void start();
  /// An event of one of the MPI layer's kinds.
  void handle(const Event& event);
  /// Fetches into the cache the states of ranks that go on soon, then what their programs keep.
  void prefetch(const Event* next) const {
    if (kind_of(next[7].key) == Kind::resume) fetch(&ranks_[entity_of(next[7].key)]);
    if (kind_of(next[5].key) == Kind::resume)
      network_->prefetch_node(homes_[entity_of(next[5].key)].node);
    if (kind_of(next[2].key) == Kind::resume) prefetch_program(ranks_[entity_of(next[2].key)]);
  }
  /// Throws DeadlockError with who waits for whom if a rank has not ended.
  void check_finished() const;

  void delivered(std::uint32_t message, Crossing crossing) override;
  void injected(std::uint32_t message) override;
  /// Fetches the message, then the rank that it is for, then that rank's program.
  void announce(std::uint32_t message, Soon when) const override;

  // What Rank is made of; ranks are numbers in the world.
  Request isend(std::int32_t rank, std::int32_t to, const Span& from, std::int32_t tag,
                std::int32_t context, Sending how = {});
  Request irecv(std::int32_t rank, std::int32_t source, const Span& into, std::int32_t tag,
                std::int32_t context);
  /// Receives a message that was taken.
  Request irecv(std::int32_t rank, const Taken& taken, const Span& into);
  /// Takes back a receive; false if it has been matched. It is complete then.
  bool cancel(std::int32_t rank, Request receive);
  /// The unexpected message that such a receive would take.
  [[nodiscard]] std::optional<Status> probe(std::int32_t rank, const Envelope& wanted) const;
  /// Takes that message out of matching.
  std::optional<Taken> take(std::int32_t rank, const Envelope& wanted);
  /// Goes on when such a message has come. Only for main strands.
  void suspend_until(std::int32_t rank, const Envelope& wanted, std::coroutine_handle<> waiting);
  /// Hands a message to the network that nobody receives: synthetic traffic; `last` if it is the
  /// last of its rank.
  void post(std::int32_t rank, std::int32_t to, Bytes bytes, bool last);
  /// Makes the rank's processor busy for this long.
  void occupy(std::int32_t rank, Time time);
  void resume_at(Strand strand, Time time, std::coroutine_handle<> waiting);
  /// Marks the requests that are not complete as waited for; true if there are none.
  bool prepare_wait(Strand strand, std::span<const Request> requests);
  /// Marks all as waited for if none is complete; true if one is, or there are none.
  bool prepare_wait_any(Strand strand, std::span<const Request> requests);
  /// Those that are not complete are no longer waited for.
  void stop_waiting(std::span<const Request> requests);
  void suspend(Strand strand, std::coroutine_handle<> waiting) {
    (strand >= 0 ? rank_at(strand).waiting : strand_at(strand).waiting) = waiting;
  }
  /// A strand of a rank that does nothing yet.
  [[nodiscard]] Strand open_strand(std::int32_t rank);
  /// Runs what it shall do up to its first wait; the request is complete when it ends.
  Request run(Strand strand, Task task);
  /// Names the call that a rank is in, for the deadlock report; the name is not copied.
  void enter(std::int32_t rank, std::string_view call) { rank_at(rank).call = call; }
  /// Lets a rank receive messages that are too long: what plays it has looked for them.
  void receive_any_length(std::int32_t rank) { rank_at(rank).any_length = 1; }
  Status retire(Request request);
  [[nodiscard]] bool done(Request request) const {
    return request.id == 0 || requests_[request.id].done;
  }
  void mark_phase(std::int32_t rank, const std::string& name);
  /// Keeps account of what is to come to each rank, from now on: before any message is sent.
  void foresee();
  /// When something may happen to a rank at the earliest [ps]: until then its requests and its
  /// queues stay as they are, and its processor does only what its program says. In the past if
  /// nothing can be promised. Needs foresee().
  [[nodiscard]] Time quiet_until(std::int32_t rank);
  /// The same for a rank whose program computes until `end`, while another rank may act now; 0 if
  /// something may happen before `end`.
  [[nodiscard]] Time quiet_beyond(std::int32_t rank, Time end);
  /// Changes when something has happened to a rank. Needs foresee().
  [[nodiscard]] std::uint32_t touches(std::int32_t rank) const {
    return foresight_->lookahead.touches(rank);
  }
  /// What ranks have in common: kept as long as one of them holds it.
  std::weak_ptr<const void>& shared(const std::string& key) { return shared_[key]; }

  [[nodiscard]] Time now(std::int32_t rank) const {
    return std::max(clock_.now, ranks_[static_cast<std::size_t>(rank)].cpu_free);
  }
  [[nodiscard]] bool busy(std::int32_t rank) const {
    return ranks_[static_cast<std::size_t>(rank)].cpu_free > clock_.now;
  }
  /// All jobs that are not background have ended.
  [[nodiscard]] bool over() const { return running_ == 0; }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const MpiOptions& options() const { return options_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] std::int32_t node_of(std::int32_t rank) const { return home(rank).node; }
  [[nodiscard]] Memory* memory_of(std::int32_t rank) const;
  [[nodiscard]] std::int32_t index_of(std::int32_t rank) const { return home(rank).index; }
  [[nodiscard]] bool is_background(int job) const {
    return jobs_[static_cast<std::size_t>(job)].spec.background;
  }
  [[nodiscard]] int num_jobs() const { return static_cast<int>(jobs_.size()); }
  [[nodiscard]] const JobStatistics& statistics(int job) const {
    return jobs_[static_cast<std::size_t>(job)].statistics;
  }
  /// When each rank of a job ended [ps].
  [[nodiscard]] std::vector<Time> finish_times(int job) const;

 private:
  static constexpr std::uint32_t none = PairTable::none;
  static constexpr std::uint32_t most_turns = 0xffffff;  // what fits a key

  enum class Stage : std::uint8_t {
    sending,    // the send overhead is being paid
    eager,      // data on its way
    asking,     // the request to send is on its way
    matched,    // the receiver pays for the request
    answering,  // the answer is on its way
    preparing,  // the sender pays for the data
    data,       // data on its way, after a rendezvous
    receiving,  // the receiver pays for the data
    datagram,   // data that nobody receives
  };

  struct Home {  // where a rank belongs: asked for with every message, so kept close together
    std::int32_t job, index, node;
  };

  struct alignas(64) RankState {
    // one cache line that every message needs
    Time cpu_free = 0;  // [ps]
    std::coroutine_handle<> waiting;
    std::int32_t pending = 0;     // requests it waits for
    std::uint32_t turn : 24 = 0;  // of the last message it works for, of those ready at one time
    std::uint32_t probing : 1 = 0;
    std::uint32_t any_length : 1 = 0;  // of messages that it receives
    Mailbox mailbox;
    // and one for the rest
    Time finished = never;
    Task program;
    std::string_view call;  // that it is in, where somebody says so
    Envelope probed;        // what a probe waits for
  };
  static_assert(sizeof(RankState) == 128 && offsetof(RankState, finished) == 64);

  struct StrandState {
    std::int32_t rank = 0;
    std::int32_t pending = 0;
    std::coroutine_handle<> waiting;
    Task task;
    Request request;  // complete when it ends
  };

  struct alignas(64) RequestState {
    bool done = false, waited = false;
    Strand waiter = 0;  // when waited for
    Span into;
    Status status;
  };
  static_assert(sizeof(RequestState) == 64);

  struct alignas(64) MessageState {
    Envelope envelope;
    std::int32_t to = 0;
    Stage stage = Stage::sending;
    bool held = false;     // an earlier message of its pair has not arrived
    bool arrived = false;  // while held
    bool leaving = false;  // not all of it has left its node
    bool last = false;     // datagram of traffic that ends
    bool asks = false;     // goes by rendezvous
    bool buffered = false; // its sender does not wait for it to leave
    std::uint32_t successor = none;
    std::uint32_t send_request = 0, recv_request = 0;
    std::uint32_t serial = 0;
    Bytes bytes = 0;
    Time sent = 0;
  };
  static_assert(sizeof(MessageState) == 64);

  // What is to come, where somebody asks for it.
  struct Foresight {
    LeastTime least;
    Lookahead lookahead;
    std::vector<Time> reach;  // [ranks] [ps] from any event to the first that it causes
    std::vector<std::int32_t> asleep;  // [ranks] strands that go on at a time of their own
  };

  struct Job {
    JobSpec spec;
    std::int32_t first_rank = 0;
    JobStatistics statistics;
  };

  static void prefetch_program(const RankState& rank) {
    const char* frame = static_cast<const char*>(rank.waiting.address());
    if (frame == nullptr) return;
    for (std::ptrdiff_t line = 0; line < 5; ++line) fetch(frame + 64 * line);
  }
  void resume(std::uint64_t key);
  void resume_rank(std::int32_t rank);
  void resume_strand(Strand strand);
  void end_strand(Strand strand);
  void fulfil(Strand strand);
  void tell_prober(std::int32_t rank, const Envelope& envelope);
  [[nodiscard]] Status status_of(const MessageState& message) const;
  [[nodiscard]] std::vector<std::string> waits_of(std::int32_t rank) const;
  [[nodiscard]] std::unordered_map<std::int32_t, std::vector<std::string>> unmatched_sends() const;
  Task oversee(std::int32_t rank, Task program);
  void step(std::uint32_t message);
  void hand_over(std::uint32_t message);
  void launch(std::uint32_t message, std::int32_t from, std::int32_t to, Bytes bytes);
  void arrive(std::uint32_t message);
  void match(std::uint32_t message, std::uint32_t request, bool unexpected);
  void answer(std::uint32_t message);
  void send_data(std::uint32_t message);
  void receive_data(std::uint32_t message);
  void finish(std::uint32_t message);
  void release(std::uint32_t message);
  void keep(std::uint32_t message, Payload contents);
  void complete(std::uint32_t request);
  void count(std::uint32_t message, const Crossing& crossing);
  void after_cost(std::int32_t rank, Time cost, std::uint32_t message, Stage stage);
  void expect(std::uint32_t message, Time ready);
  void note_delivered(const MessageState& message, std::uint32_t id);
  void note_step(const MessageState& message);
  [[nodiscard]] std::vector<Time> reaches(const Job& job, const LeastTime& least) const;
  std::uint32_t new_message();
  std::uint32_t new_request();
  [[nodiscard]] std::uint64_t pair_of(std::uint32_t message) const {
    return PairTable::pair(messages_[message].envelope.source, messages_[message].to);
  }
  RankState& rank_at(std::int32_t i) { return ranks_[static_cast<std::size_t>(i)]; }
  StrandState& strand_at(Strand s) { return strands_[static_cast<std::size_t>(-s)]; }
  [[nodiscard]] std::int32_t rank_of(Strand s) { return s >= 0 ? s : strand_at(s).rank; }
  [[nodiscard]] const Home& home(std::int32_t rank) const {
    return homes_[static_cast<std::size_t>(rank)];
  }
  Job& job_of(std::int32_t rank) { return jobs_[static_cast<std::size_t>(home(rank).job)]; }

  const Machine& machine_;
  MpiOptions options_;
  Clock& clock_;
  std::uint64_t seed_;
  Network* network_ = nullptr;
  std::vector<Job> jobs_;
  std::vector<Home> homes_;  // by rank
  Table<RankState> ranks_;
  std::vector<StrandState> strands_;  // the first is none
  std::vector<std::uint32_t> free_strands_;
  Table<RequestState> requests_;
  std::vector<std::uint32_t> free_requests_;
  Table<MessageState> messages_;
  std::vector<std::uint32_t> free_messages_;
  std::vector<Payload> payloads_;  // by message; empty unless contents move
  PairTable pairs_;
  std::unique_ptr<Foresight> foresight_;
  std::unordered_map<std::string, std::weak_ptr<const void>> shared_;
  std::int64_t running_ = 0;  // ranks in the foreground that have not ended
  std::exception_ptr failure_;  // what a rank program threw
};

}  // namespace odonata
