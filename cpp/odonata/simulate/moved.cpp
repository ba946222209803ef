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

// Times of a message that asks first: those of its legs, and when its data had left.
constexpr int place_of_leaving = Flight::num_legs, num_places = Flight::num_legs + 1;

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

// Every message takes what it took, and is told from others by the place of its send.
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
    const Time* times = run_.times_.data() + state.serial;
    const Time begin = nics_.begin(transfer.from_node, transfer.bytes, clock_.now);
    const std::uint64_t entity =
        identities_.entity(transfer.from_node, sent_[transfer.from_node]++, message);
    const Time rest = std::max<Time>(0, times[leg_of(state.stage)]);
    if (transfer.tell_injected)
      clock_.at(begin + std::clamp<Time>(times[place_of_leaving], 0, rest), Kind::injected, entity);
    clock_.at(begin + rest + later_, Kind::deliver, entity);
  }
  void handle(const Event& event) override {
    Receiver& receiver = world_.receiver();
    if (kind_of(event.key) == Kind::injected) return receiver.injected(slot_of(event.key));
    receiver.delivered(slot_of(event.key), {});
  }
  [[nodiscard]] const WayTimes& tell_times(std::uint32_t /*message*/,
                                           Reached /*reached*/) override {
    return times_;
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
                   const EngineOptions& engine, std::vector<std::int32_t> nodes,
                   const ActRecord& record)
    : machine_(std::move(machine)), mpi_(mpi), engine_(engine), nodes_(std::move(nodes)) {
  for (const std::int32_t node : nodes_)
    check("node", node, static_cast<std::size_t>(machine_->num_nodes()));
  const std::vector<std::uint32_t> number_of = sort_acts(record.acts);
  place_times();
  find_times(record.flights, number_of);
}

bool MovedRun::asks(const Act& send) const {
  return send.kind == Act::Kind::send_synchronous || send.value > mpi_.eager_threshold;
}

void MovedRun::count_acts(const ActList& acts) {
  first_.assign(nodes_.size() + 1, 0);
  for (std::size_t i = 0; i < acts.size(); ++i) {
    const Act act = acts[static_cast<std::uint32_t>(i)];
    check("rank of an act", act.rank, nodes_.size());
    if (is_send(act)) check("receiver", act.peer, nodes_.size());
    ++first_[act.rank + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

std::vector<std::uint32_t> MovedRun::sort_acts(const ActList& acts) {
  count_acts(acts);
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  std::vector<std::uint32_t> order(acts.size()), number_of(acts.size());
  for (std::size_t i = 0; i < acts.size(); ++i) {
    number_of[i] = next[acts[static_cast<std::uint32_t>(i)].rank]++;
    order[number_of[i]] = static_cast<std::uint32_t>(i);
  }
  for (const std::uint32_t old : order) {
    Act act = acts[old];
    if (act.kind == Act::Kind::need) {
      check("act that is needed", act.value, old);
      if (acts[static_cast<std::uint32_t>(act.value)].rank != act.rank)
        throw UserError("record of a run: rank of a needed act", act.rank, "its own");
      act.value = number_of[static_cast<std::size_t>(act.value)];
    }
    acts_.add(act);
  }
  return number_of;
}

void MovedRun::place_times() {
  places_.resize(acts_.size());
  std::uint32_t places = 0;
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    places_[i] = places;
    if (const Act act = acts_[i]; is_send(act)) places += asks(act) ? num_places : 1;
  }
  times_.assign(places, -1);
}

void MovedRun::find_times(const LongList<Flight>& flights,
                          const std::vector<std::uint32_t>& number_of) {
  Nics nics(*machine_, engine_);
  for (const Flight& flight : flights) {
    check("act of a message", flight.act, number_of.size());
    const std::uint32_t number = number_of[flight.act];
    const Act act = acts_[number];
    if (!is_send(act)) throw UserError("record of a run: act of a message", flight.act, "sends");
    const auto leg = static_cast<std::uint32_t>(flight.leg);
    if (!asks(act) && leg > 0)
      throw UserError("record of a run: leg of a message that asks nobody", leg, "0");
    const bool back = flight.leg == Flight::Leg::answer;
    const bool whole = flight.leg == Flight::Leg::data || !asks(act);
    const std::int32_t node = nodes_[back ? act.peer : act.rank];
    const Time begin = nics.begin(node, whole ? act.value : mpi_.control_bytes, flight.handed);
    times_[places_[number] + leg] = flight.end - begin;
    if (flight.leg == Flight::Leg::data && flight.left >= 0)
      times_[places_[number] + place_of_leaving] = flight.left - begin;
  }
}

Request MovedRun::begin(const Rank& rank, std::uint32_t number) const {
  const Act act = acts_[number];
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
    for (std::uint32_t i = first_[me]; i < first_[me + 1]; ++i) {
      const Act act = acts_[i];
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
        default: open[i] = begin(rank, i);
      }
    }
  };
}

std::vector<Time> MovedRun::ends(Time later) const {
  Clock clock;
  World world(*machine_, mpi_, clock, 0);
  KeptNetwork network(*this, later, clock, world);
  world.connect(network);
  world.add({nodes_, program(), false, false, nullptr});
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
