#include "odonata/interchange/dumpi/rank.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "odonata/trace/functions.hpp"

namespace odonata::interchange::dumpi {

namespace {

using trace::Op;

constexpr std::int64_t world = 2, self = 3;  // communicators of a file
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;  // of a message, as traces have it
constexpr std::int64_t wrap_time = 65'536'000'000'000;  // [ns]: seconds have 16 bits
constexpr std::int64_t longest_pause = 300'000'000'000'000;  // [ns]: 3.5 days

std::vector<std::uint16_t> our_functions() {
  const auto names = trace::function_names();
  std::vector<std::uint16_t> numbers;
  for (const Row& row : rows()) {
    std::string_view name = row.name;
    if (name.starts_with("IO_")) name.remove_prefix(3);
    const auto ours = std::find(names.begin(), names.end(), "MPI_" + std::string(name));
    numbers.push_back(static_cast<std::uint16_t>(ours == names.end() ? 0 : ours - names.begin()));
  }
  return numbers;
}

bool creates(Function function) {
  switch (function) {
    case Function::Comm_dup:
    case Function::Comm_create:
    case Function::Comm_split:
    case Function::Cart_create:
    case Function::Cart_sub:
    case Function::Graph_create:
    case Function::Intercomm_create:
    case Function::Intercomm_merge: return true;
    default: return false;
  }
}

}  // namespace

Rank::Rank(std::span<const std::uint8_t> file, RankContext context,
           std::shared_ptr<const std::vector<Found>> found)
    : context_(std::move(context)),
      stream_(file, context_.place),
      types_(context_.sizes),
      found_(std::move(found)),
      communicators_{{world, 0}, {self, 1}},
      sizes_{context_.num_ranks, 1},
      counts_(rows().size()),
      functions_(our_functions()) {}

bool Rank::next(trace::Record& record) {
  while (given_ == ready_.size())
    if (!read()) return false;
  record = std::move(ready_[given_++]);
  return true;
}

bool Rank::read() {
  const bool begins = counts_.empty() || !left_;
  ready_.clear();
  given_ = 0;
  if (!stream_.next(call_)) return false;
  const auto function = static_cast<Function>(call_.function);
  if (function == Function::Function_enter || function == Function::Function_exit) {
    ++anomalies_.marks;
    return true;
  }
  ++counts_[call_.function];
  const std::int64_t compute = computed();
  translate();
  if (ready_.empty()) add(Op::local);
  if (begins) {
    for (const auto& [handle, comm] : context_.assumed) {
      trace::Record& made = add(Op::communicator);
      made.call.comm = comm.number;
      made.call.set(trace::Creation{comm.identity, comm.position, 0});
      made.words = *comm.members;
      communicators_[handle] = comm.number;
      if (comm.number >= sizes_.size()) sizes_.resize(comm.number + 1);
      sizes_[comm.number] = static_cast<std::uint32_t>(comm.members->size());
    }
    std::rotate(ready_.begin(), ready_.end() - static_cast<std::ptrdiff_t>(context_.assumed.size()),
                ready_.end());
  }
  for (std::size_t i = 1; i < ready_.size(); ++i) ready_[i].call.flags = trace::Call::more;
  ready_.front().call.flags = 0;
  ready_.front().call.compute = compute;
  return true;
}

// Time from the end of the last call to the beginning of this one, on the wall clock if the file
// has it: the processor's clock often counts in steps of milliseconds.
std::int64_t Rank::computed() {
  const Span& time = call_.has_wall ? call_.wall : call_.cpu;
  if (!call_.has_wall && !call_.has_cpu) {
    left_ = left_.value_or(0);
    return 0;
  }
  std::int64_t pause = left_ ? time.in - *left_ : 0;
  if (pause < -wrap_time / 2) pause += wrap_time;
  left_ = std::max(time.out, time.in);
  if (pause < 0) ++anomalies_.backward_times;
  return std::clamp<std::int64_t>(pause, 0, longest_pause);
}

void Rank::translate() {
  types_.note(call_);
  if (creates(static_cast<Function>(call_.function))) return create();
  Numbers n(call_);
  if (static_cast<Function>(call_.function) == Function::Finalize) {
    add(Op::finalize);
    return;
  }
  point_to_point(n) || completion(n) || persistent(n) || collective(n) || collective_of_sizes(n);
}

void Rank::create() {
  if (num_created_ >= context_.created.size()) return;
  const Communicator& made = context_.created[num_created_++];
  const std::int64_t handle = call_.numbers.back();  // all such calls end in it
  communicators_.erase(handle);
  if (made.number == 0) return;
  trace::Record& record = add(Op::communicator);
  record.call.comm = made.number;
  record.call.set(trace::Creation{made.identity, made.position, 0});
  record.words = *made.members;
  communicators_[handle] = made.number;
  if (made.number >= sizes_.size()) sizes_.resize(made.number + 1);
  sizes_[made.number] = static_cast<std::uint32_t>(made.members->size());
}

trace::Record& Rank::add(Op op) {
  trace::Record& record = ready_.emplace_back();
  record.call.function = functions_[call_.function];
  record.call.op = op;
  return record;
}

std::uint32_t Rank::size_of(std::uint32_t comm) const {
  return comm < sizes_.size() ? sizes_[comm] : 0;
}

// False, and counted, if its members are unknown.
bool Rank::on(std::int64_t comm, trace::Call& call) {
  const auto known = communicators_.find(comm);
  if (known == communicators_.end()) {
    ++anomalies_.unknown_communicators;
    unknown_.insert(comm);
    return false;
  }
  call.comm = known->second;
  return true;
}

// Negative ranks are MPI_PROC_NULL, but for -1 of a receive.
std::int32_t Rank::peer(std::int64_t rank, const trace::Call& call, bool receives) {
  if (rank == trace::any && receives) return trace::any;
  if (rank < 0) return trace::nobody;
  if (rank < size_of(call.comm)) return static_cast<std::int32_t>(rank);
  ++anomalies_.misfits;
  return trace::nobody;
}

std::int64_t Rank::bytes(std::int64_t count, std::int64_t type) {
  const std::optional<std::int64_t> size = types_.size(type);
  if (!size && count > 0) ++anomalies_.unknown_datatypes;
  const std::int64_t element = size.value_or(1);
  if (count < 0 || (element > 0 && count > most_bytes / element)) {
    ++anomalies_.misfits;
    return 0;
  }
  return count * element;
}

std::vector<std::uint64_t> Rank::blocks(std::span<const std::int64_t> counts, std::int64_t type) {
  std::vector<std::uint64_t> all;
  all.reserve(counts.size());
  for (const std::int64_t count : counts)
    all.push_back(static_cast<std::uint64_t>(bytes(count, type)));
  return all;
}

}  // namespace odonata::interchange::dumpi
