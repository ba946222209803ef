#include "odonata/engine/alone.hpp"

#include <algorithm>
#include <utility>

namespace odonata {

struct AloneRuns::Times final : Receiver {
  explicit Times(const Clock& all) : clock(all) {}

  void delivered(std::uint32_t /*message*/, Delivery how) override {
    end = clock.now;
    delivery = how;
  }
  void injected(std::uint32_t /*message*/) override { left = clock.now; }

  const Clock& clock;
  Time left = 0, end = 0;  // [ps]
  Delivery delivery;
};

// Bytes on their way, and those whose credit is: a link that sends on without a break has three
// packets more at most in the buffer behind it.
AloneRuns::AloneRuns(const Machine& machine, const EngineOptions& options)
    : machine_(machine),
      options_(options),
      routing_(make_routing(machine, options.routing)),
      followed_(machine.port_router.size()) {
  options_.message_gap = 0;
  const Bytes packet = options.packet_bytes + options.header_bytes;
  const auto ports = static_cast<std::size_t>(machine.num_ports());
  const Rate nic = machine.class_of(machine.injection(0)).bandwidth;
  std::vector<char> seen(machine.classes.size());
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    const auto link = static_cast<std::int32_t>(i);
    const bool ejects = i >= ports && i < 2 * ports;
    if (ejects || std::exchange(seen[machine.links[i].link_class], 1) != 0) continue;
    const LinkClass& of = machine.class_of(link);
    fits_ = fits_ && of.buffer_bytes >= packet;
    const Rate rate{std::min(nic.bytes_per_second, of.bandwidth.bytes_per_second)};
    const Bytes room = of.buffer_bytes - 3 * packet;
    ample_ = ample_ && room > 0 && rate.time_of(room) >= machine.hop_delay(link) + of.credit_delay;
  }
}

AloneRuns::~AloneRuns() = default;

bool AloneRuns::wanted(const Transfer& transfer) const {
  if (!fits_ || transfer.bytes <= options_.packet_bytes) return false;
  const auto exceeds = [&](Bytes window) { return window > 0 && transfer.bytes > window; };
  return exceeds(options_.window_bytes) || exceeds(options_.congestion_bytes) || !ample_ ||
         !routing_->has_one_route(machine_.port_router[transfer.from_port],
                                  machine_.port_router[transfer.to_port]);
}

const Alone& AloneRuns::of(const Transfer& transfer, std::uint32_t first) {
  if (known_.size() >= most_known) known_.clear();
  const auto [place, is_new] =
      known_.try_emplace(Key{transfer.from_port, transfer.to_port, transfer.bytes});
  if (is_new) place->second = follow(transfer, first);
  return place->second;
}

void AloneRuns::begin() {
  network_.reset();
  clock_ = std::make_unique<Clock>();
  times_ = std::make_unique<Times>(*clock_);
  log_ = std::make_unique<EventLog>(EventLog{true, false, 0, {}});
  logging_ = std::make_unique<Logging>(*log_);
  network_ =
      std::make_unique<PacketNetwork<Logging>>(machine_, options_, *clock_, *times_, *logging_);
}

Alone AloneRuns::follow(const Transfer& transfer, std::uint32_t first) {
  if (network_ == nullptr || clock_->now > latest / 2) begin();
  log_->entries.clear();
  Transfer followed = transfer;
  Bytes& so_far = followed_[transfer.from_port];
  const Bytes most = so_far < many_followed ? most_followed : few_followed;
  followed.bytes = std::min(transfer.bytes, most * options_.packet_bytes);
  so_far += followed.bytes / options_.packet_bytes;
  followed.tell_injected = true;
  clock_->now += options_.congestion_delay;  // so that the gates know of the message before
  const Time start = clock_->now;
  network_->number_from(transfer.from_port, first);
  network_->send(0, followed);
  while (!clock_->queue.empty()) {
    const Event event = clock_->queue.pop();
    clock_->now = event.time;
    network_->process(event);
  }
  const Time last = machine_.class_of(machine_.ejection(transfer.to_port)).latency;
  Alone alone{
      times_->left - start, times_->end - last - start, times_->delivery.routers, 0, false, {}};
  count_links(alone, followed, first);
  if (followed.bytes < transfer.bytes) {
    const auto middle = first + static_cast<std::uint32_t>(most / 2);
    go_on(alone, transfer, followed.bytes, start_of(middle, transfer.from_port) - start);
  }
  return alone;
}

// Bytes that are not followed leave at the rate of the second half of the followed bytes.
void AloneRuns::go_on(Alone& alone, const Transfer& transfer, Bytes followed, Time half) const {
  const auto scaled = [](std::int64_t number, Bytes by, Bytes from) {
    const auto wide = static_cast<Wide>(number) * static_cast<Wide>(by) / static_cast<Wide>(from);
    return static_cast<std::int64_t>(wide);
  };
  const Time more = scaled(alone.left - half, transfer.bytes - followed, followed / 2);
  alone.left += more;
  alone.received += more;
  alone.routers = scaled(alone.routers, transfer.bytes, followed);
  for (Alone::Used& used : alone.used) used.bytes = scaled(used.bytes, transfer.bytes, followed);
}

// At its NIC, by the clock of these runs [ps].
Time AloneRuns::start_of(std::uint32_t packet, std::int32_t port) const {
  const auto is_it = [&](const LogEntry& entry) {
    return entry.link == machine_.injection(port) && entry.packet.number == packet;
  };
  return std::find_if(log_->entries.begin(), log_->entries.end(), is_it)->time;
}

// Each packet but the last is full.
void AloneRuns::count_links(Alone& alone, const Transfer& transfer, std::uint32_t first) const {
  std::map<std::int32_t, Bytes> bytes;
  const Bytes full = (transfer.bytes - 1) / options_.packet_bytes;
  const Bytes rest = transfer.bytes - full * options_.packet_bytes;
  for (const LogEntry& entry : log_->entries)
    if (entry.link >= machine_.num_ports())
      bytes[entry.link] += entry.packet.number - first == full ? rest : options_.packet_bytes;
  Time longest = -1;
  for (const auto& [link, sum] : bytes) {
    const Time time = machine_.class_of(link).bandwidth.time_of(sum);
    if (time > longest) {
      longest = time;
      alone.slowest = link;
    }
    if (link >= 2 * machine_.num_ports()) alone.used.push_back({link, sum});
  }
  const Rate nic = machine_.class_of(machine_.injection(transfer.from_port)).bandwidth;
  alone.slower = longest > nic.time_of(transfer.bytes);
}

}  // namespace odonata
