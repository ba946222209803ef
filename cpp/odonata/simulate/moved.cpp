#include "odonata/simulate/moved.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <unordered_map>

#include "odonata/mpi/rank.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

// When NICs begin with the messages that are handed to them.
class Nics {
 public:
  Nics(const Machine& machine, const EngineOptions& engine)
      : least_(machine, engine.packet_bytes, engine.header_bytes),
        gap_(engine.message_gap),
        free_(static_cast<std::size_t>(machine.num_nodes())) {}

  Time begin(std::int32_t node, Bytes bytes, Time now) {
    const Time begin = std::max(now, free_[node]);
    free_[node] = begin + std::max(least_.to_leave(node, bytes), gap_);
    return begin;
  }

 private:
  LeastTime least_;
  Time gap_;  // [ps]
  std::vector<Time> free_;  // [ps] by node
};

int leg_of(MessageStage stage) {
  switch (stage) {
    case MessageStage::answering: return static_cast<int>(Flight::Leg::answer);
    case MessageStage::data: return static_cast<int>(Flight::Leg::data);
    default: return static_cast<int>(Flight::Leg::first);
  }
}

bool is_send(const Act& act) {
  return act.kind >= Act::Kind::send && act.kind <= Act::Kind::send_buffered;
}

SendMode mode_of(const Act& act) {
  if (act.kind == Act::Kind::send_synchronous) return SendMode::synchronous;
  return act.kind == Act::Kind::send_buffered ? SendMode::buffered : SendMode::standard;
}

void check(const char* what, std::int64_t value, std::size_t count) {
  if (value < 0 || value >= static_cast<std::int64_t>(count))
    throw UserError(std::string("record of a run: ") + what, value,
                    "0 to " + std::to_string(static_cast<std::int64_t>(count) - 1));
}

}  // namespace

// Every message takes what it took, and is told from others by the number of its send.
class MovedRun::KeptNetwork final : public Network {
 public:
  KeptNetwork(const MovedRun& run, Time later, Clock& clock, World& world)
      : run_(run),
        later_(later),
        clock_(clock),
        world_(world),
        nics_(*run.machine_, run.engine_),
        sent_(static_cast<std::size_t>(run.machine_->num_nodes())),
        identities_(static_cast<std::uint32_t>(run.machine_->num_nodes())) {}

  void send(std::uint32_t message, const Transfer& transfer) override {
    const MessageState& state = world_.message(message);
    const std::size_t at = std::size_t{state.serial} * Flight::num_legs +
                           static_cast<std::size_t>(leg_of(state.stage));
    const Time begin = nics_.begin(transfer.from_node, transfer.bytes, clock_.now);
    const std::uint64_t entity =
        identities_.entity(transfer.from_node, sent_[transfer.from_node]++, message);
    const Time rest = std::max<Time>(0, run_.rests_[at]);
    if (transfer.tell_injected)
      clock_.at(begin + std::clamp<Time>(run_.leaves_[at], 0, rest), Kind::injected, entity);
    clock_.at(begin + rest + later_, Kind::deliver, entity);
  }
  void handle(const Event& event) override {
    Receiver& receiver = world_.receiver();
    if (kind_of(event.key) == Kind::injected) return receiver.injected(slot_of(event.key));
    receiver.delivered(slot_of(event.key), {});
  }
  [[nodiscard]] std::span<const Piece> tell_way(std::uint32_t /*message*/,
                                                Reached /*reached*/) override {
    return {};
  }
  [[nodiscard]] LeastTime least_time() const override {
    return {*run_.machine_, run_.engine_.packet_bytes, run_.engine_.header_bytes};
  }
  [[nodiscard]] NetworkTotals totals() const override { return {}; }
  [[nodiscard]] std::vector<LinkStatistics> link_statistics() const override { return {}; }
  [[nodiscard]] std::vector<BufferStatistics> buffer_statistics() const override { return {}; }
  [[nodiscard]] std::vector<Bytes> waiting_by_class() const override { return {}; }
  void check_conservation(Time /*end*/) const override {}

 private:
  const MovedRun& run_;
  Time later_;  // [ps]
  Clock& clock_;
  World& world_;
  Nics nics_;
  std::vector<std::uint32_t> sent_;  // messages, by node
  Identities identities_;
};

MovedRun::MovedRun(std::shared_ptr<const Machine> machine, const MpiOptions& mpi,
                   const EngineOptions& engine, RecordedRun run)
    : machine_(std::move(machine)), mpi_(mpi), engine_(engine), run_(std::move(run)) {
  for (const std::int32_t node : run_.nodes)
    check("node", node, static_cast<std::size_t>(machine_->num_nodes()));
  sort_acts();
  find_rests();
}

void MovedRun::sort_acts() {
  const std::size_t ranks = run_.nodes.size();
  order_.resize(run_.acts.size());
  places_.resize(run_.acts.size());
  first_.resize(ranks + 1);
  for (const Act& act : run_.acts) {
    check("rank of an act", act.rank, ranks);
    if (is_send(act)) check("receiver", act.peer, ranks);
    ++first_[act.rank + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  std::uint32_t sends = 0;
  for (std::uint32_t i = 0; i < run_.acts.size(); ++i) {
    const Act& act = run_.acts[i];
    if (act.kind == Act::Kind::need) {
      check("act that is needed", act.value, i);
      if (run_.acts[static_cast<std::size_t>(act.value)].rank != act.rank)
        throw UserError("record of a run: rank of a needed act", act.rank, "its own");
    }
    order_[next[act.rank]++] = i;
    places_[i] = is_send(act) ? sends++ : 0;
  }
  rests_.assign(std::size_t{sends} * Flight::num_legs, -1);
  leaves_ = rests_;
}

void MovedRun::find_rests() {
  Nics nics(*machine_, engine_);
  for (const Flight& flight : run_.flights) {
    check("act of a message", flight.act, run_.acts.size());
    const Act& act = run_.acts[flight.act];
    if (!is_send(act)) throw UserError("record of a run: act of a message", flight.act, "sends");
    const bool back = flight.leg == Flight::Leg::answer;
    const bool asks = act.kind == Act::Kind::send_synchronous || act.value > mpi_.eager_threshold;
    const bool data = flight.leg == Flight::Leg::data || !asks;
    const std::int32_t node = run_.nodes[back ? act.peer : act.rank];
    const Time begin = nics.begin(node, data ? act.value : mpi_.control_bytes, flight.handed);
    const std::size_t at =
        std::size_t{places_[flight.act]} * Flight::num_legs + static_cast<std::size_t>(flight.leg);
    rests_[at] = flight.end - begin;
    leaves_[at] = flight.left < 0 ? -1 : flight.left - begin;
  }
}

Request MovedRun::begin(const Rank& rank, std::uint32_t number) const {
  const Act& act = run_.acts[number];
  const Span span{0, 0, act.value};
  if (act.kind == Act::Kind::receive)
    return rank.irecv(Envelope{act.peer, act.tag, act.context}, span);
  return rank.isend(Address{act.peer, act.tag, act.context}, span, {mode_of(act), places_[number]});
}

Program MovedRun::program() const {
  return [this](Rank rank) -> Task {
    const auto me = static_cast<std::size_t>(rank.number());
    std::unordered_map<std::uint32_t, Request> open;
    rank.receive_any_length();
    for (std::size_t i = first_[me]; i < first_[me + 1]; ++i) {
      const Act& act = run_.acts[order_[i]];
      switch (act.kind) {
        case Act::Kind::work: rank.occupy(act.value, Work::compute); break;
        case Act::Kind::rest: co_await rank.sleep_until(rank.now()); break;
        case Act::Kind::pause: co_await rank.sleep_until(std::max(act.value, rank.now())); break;
        case Act::Kind::nothing: break;
        case Act::Kind::need: {
          const auto found = open.extract(static_cast<std::uint32_t>(act.value));
          const std::array<Request, 1> one{found ? found.mapped() : Request{}};
          co_await rank.block_on(one);
          break;
        }
        default: open[order_[i]] = begin(rank, order_[i]);
      }
    }
  };
}

std::vector<Time> MovedRun::ends(Time later) const {
  Clock clock;
  World world(*machine_, mpi_, clock, 0);
  KeptNetwork network(*this, later, clock, world);
  world.connect(network);
  world.add({run_.nodes, program(), false, false, nullptr});
  world.start();
  while (!clock.queue.empty()) {
    const Event event = clock.queue.pop();
    clock.now = event.time;
    if (kind_of(event.key) == Kind::deliver || kind_of(event.key) == Kind::injected)
      network.handle(event);
    else
      world.handle(event);
  }
  try {
    world.check_finished();
  } catch (const DeadlockError& error) {  // not of a run: these programs have ended before
    throw UserError(std::string("record of a run: its acts end in a ") + error.what());
  }
  return world.finish_times(0);
}

}  // namespace odonata
