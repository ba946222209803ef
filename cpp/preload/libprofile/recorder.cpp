#include "preload/libprofile/recorder.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>

namespace odonata::libprofile {

namespace {

constexpr std::uint64_t first_cells = 2048;
constexpr const char* folder_variable = "ODONATA_PROFILE";
constexpr const char* depth_variable = "ODONATA_PROFILE_DEPTH";  // summary, trace

TickLength tick_length;

// The time before MPI_Init serves to find out how long a tick is.
__attribute__((constructor)) void read_clocks() {
  counter = counter_is_clock();
  tick_length.start(counter);
}

}  // namespace

Recorder* recorder = nullptr;
bool counter = false;

bool Recorder::start(std::uint64_t began, bool is_counter, const TickLength& tick) {
  const char* const folder = std::getenv(folder_variable);
  if (folder == nullptr || folder[0] == '\0') return false;
  int rank = 0, ranks = 1;
  ODONATA_REAL(Comm_rank)(comm_world(), &rank);
  ODONATA_REAL(Comm_size)(comm_world(), &ranks);
  if (!file_.open(folder, rank, ranks, ODONATA_ABI_NAME)) return false;
  counter_ = is_counter;
  tick_ = tick;
  file_.head().start = began;
  file_.head().seconds_per_tick = tick.seconds();
  tally_ = std::make_unique<profile::Tally>(file_.head(), file_, first_cells);
  communicators_.start();
  const char* const depth = std::getenv(depth_variable);
  if (depth == nullptr || std::string_view(depth) != "trace") return true;
  journal_ = std::make_unique<Journal>(communicators_);
  if (!journal_->start(folder, rank, ranks, began, is_counter, tick)) journal_.reset();
  return true;
}

void Recorder::stop() {
  file_.head().seconds_per_tick = tick_.seconds();
  tally_->end(ticks(counter_));
  if (journal_) journal_->stop(tick_);
}

void Recorder::forget_types() {
  for (KnownType& known : types_) known = {};
}

std::int64_t Recorder::size_of(MPI_Datatype type) {
  const std::uint64_t bits = bits_of(type);
  KnownType& known = types_[(bits ^ bits >> 6U ^ bits >> 12U) % std::size(types_)];
  if (known.bits != bits) {
    MPI_Count size = 0;
    ODONATA_REAL(Type_size_x)(type, &size);
    known = {bits, size};
  }
  return known.size;
}

Sent Recorder::sent(std::int64_t count, MPI_Datatype type, int to, MPI_Comm handle) {
  if (to < 0) return {};
  const std::vector<std::int32_t>& peers = comm(handle).peers;
  const auto at = static_cast<std::size_t>(to);
  return {at < peers.size() ? peers[at] : trace::nobody, bytes(count, type)};
}

void Recorder::note(Function function, const Sent& sent) {
  if (sent.to < 0) return;
  tally_->size(static_cast<std::uint32_t>(function), sent.bytes);
  tally_->message(sent.to, sent.bytes);
}

void Recorder::note(Function function, const Collected& c) {
  tally_->size(static_cast<std::uint32_t>(function), c.size);
  tally_->collective(c.call.operation, c.ranks, c.root, c.share);
}

void Recorder::keep(MPI_Request request, const Sent& sent, int partitions) {
  Persistent& kept = persistent_[bits_of(request)];
  kept = {};
  kept.what = partitions > 0 ? Persistent::What::partitions : Persistent::What::message;
  kept.sent = sent;
  kept.partitions = partitions;
}

void Recorder::keep(MPI_Request request, const Collected& collected) {
  Persistent& kept = persistent_[bits_of(request)];
  kept = {};
  kept.what = Persistent::What::collective;
  kept.collected = collected;
}

void Recorder::begin(Function function, MPI_Request request) {
  const auto found = persistent_.find(bits_of(request));
  if (found == persistent_.end()) return;  // it receives
  Persistent& kept = found->second;
  if (kept.what == Persistent::What::message) note(function, kept.sent);
  if (kept.what == Persistent::What::collective) note(function, kept.collected);
  kept.missing = kept.partitions;
}

void Recorder::ready(Function function, MPI_Request request, int partitions) {
  const auto found = persistent_.find(bits_of(request));
  if (found == persistent_.end() || found->second.missing <= 0) return;
  found->second.missing -= partitions;
  if (found->second.missing == 0) note(function, found->second.sent);
}

void begin_recording(std::uint64_t began) {
  if (recorder != nullptr) return;
  auto made = std::make_unique<Recorder>();
  if (made->start(began, counter, tick_length)) recorder = made.release();
}

// The memory stays: another thread may be about to leave a call.
void end_recording() {
  if (recorder == nullptr) return;
  recorder->stop();
  recorder = nullptr;
}

}  // namespace odonata::libprofile
