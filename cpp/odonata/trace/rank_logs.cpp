#include "odonata/trace/rank_logs.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "odonata/trace/builder.hpp"
#include "odonata/trace/check.hpp"
#include "odonata/trace/functions.hpp"
#include "odonata/trace/rank_log.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::trace {

namespace {

constexpr std::size_t read_bytes = 128U << 10U;  // of a log at once
constexpr int calls_of_a_turn = 64;              // of a rank
constexpr std::int32_t most_ranks = 1 << 20;
constexpr double nanoseconds = 1e9;  // of a second
constexpr double longest_run = 0x1p52;  // [ns] 52 days
constexpr std::int64_t last_time = std::int64_t{1} << 62U;  // [ns] since 1970: in the year 2116

// A point of time in ticks and in nanoseconds since 1970.
struct Clock {
  std::uint64_t ticks = 0;
  std::int64_t time = 0;
  double seconds_per_tick = 1e-9;

  // None: no run takes so long.
  [[nodiscard]] std::optional<std::int64_t> at(std::uint64_t tick) const {
    const auto since = static_cast<double>(static_cast<std::int64_t>(tick - ticks));
    const double passed = since * seconds_per_tick * nanoseconds;
    if (std::abs(passed) > longest_run) return {};
    return time + std::llround(passed);
  }
};

}  // namespace

// One file. The call at hand is in `record`, with its times.
class RankLogs::Log {
 public:
  explicit Log(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw UserError(path + ": " + std::strerror(errno));
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    if (std::fread(&head, sizeof head, 1, file_.get()) != 1 ||
        std::memcmp(head.magic, log_magic, sizeof log_magic) != 0)
      throw UserError(path + ": not the log of a rank");
    if (head.version != log_version)
      throw UserError(path + ": a log in a format of another version of Odonata", head.version,
                      std::to_string(log_version));
    const bool named = head.ranks >= 1 && head.ranks <= most_ranks && head.rank >= 0 &&
                       head.rank < head.ranks && head.host[sizeof head.host - 1] == '\0' &&
                       head.program[sizeof head.program - 1] == '\0';
    const bool timed = head.seconds_per_tick > 0 && head.seconds_per_tick < 1 &&
                       head.clock_time >= 0 && head.clock_time <= last_time;
    if (!named || !timed) throw UserError(path + ": damaged in its head");
    bound_by_file();
    checker_.emplace(head.rank, head.ranks);
  }

  // Reads the next call; false after the last whole one.
  bool advance() {
    LoggedCall logged;
    if (!take(&logged, sizeof logged)) return false;
    const std::uint64_t rest = std::uint64_t{logged.call.num_words} * sizeof(std::uint64_t) +
                               std::uint64_t{logged.num_outcomes} * sizeof(Outcome) +
                               std::uint64_t{logged.num_matches} * sizeof(Match);
    if (rest > head.used - std::min(head.used, place_)) return false;
    record.call = logged.call;
    if (!take_all(record.words, logged.call.num_words) ||
        !take_all(record.found.outcomes, logged.num_outcomes) ||
        !take_all(matches, logged.num_matches))
      return false;
    check(logged);
    const std::int64_t before = ended;
    began = std::max(time_of(logged.began), before);
    ended = std::max(time_of(logged.ended), began);
    // The first call, and further records of a call, come after no computation.
    const bool computed = checker_->num_calls() > 1 && (logged.call.flags & Call::more) == 0;
    record.call.compute = computed ? began - before : 0;
    found = static_cast<Found>(logged.found);
    return true;
  }

  [[nodiscard]] std::int64_t time_of(std::uint64_t tick) const {
    const std::optional<std::int64_t> time = clock.at(tick);
    if (!time) throw UserError(path_ + ": damaged: a time that no run takes");
    return *time;
  }

  LogHead head{};
  Clock clock;
  Record record;
  Found found = Found::unknown;
  std::vector<Match> matches;
  std::int64_t began = 0, ended = 0;  // [ns]

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  // A file holds no more than it is long, whatever its head says.
  void bound_by_file() {
    const bool ended = std::fseek(file_.get(), 0, SEEK_END) == 0;
    const long size = std::ftell(file_.get());
    if (!ended || size < 0 || std::fseek(file_.get(), static_cast<long>(log_start), SEEK_SET) != 0)
      throw UserError(path_ + ": " + std::strerror(errno));
    const auto bytes = static_cast<std::uint64_t>(size);
    head.used = std::min(head.used, bytes - std::min(bytes, log_start));
  }

  void check(const LoggedCall& logged) {
    record.call.compute = 0;
    record.call.flags &= static_cast<std::uint8_t>(Call::answer | Call::more);
    if (static_cast<int>(logged.call.op) >= num_ops ||
        logged.call.function >= function_names().size() || logged.found > 2)
      throw UserError(path_ + ": damaged: it has an unknown call");
    checker_->check(record);
    for (const Match& match : matches)
      if (match.rank != head.rank || match.source < nobody || match.source >= head.ranks ||
          match.call < 0 || match.call >= checker_->num_calls())
        throw UserError(path_ + ": damaged: a message from no rank");
  }

  template <class T>
  bool take_all(std::vector<T>& to, std::size_t count) {
    to.resize(count);
    return take(to.data(), count * sizeof(T));
  }

  bool take(void* to, std::size_t bytes) {
    if (bytes > head.used - std::min(head.used, place_)) return false;
    auto* out = static_cast<std::byte*>(to);
    place_ += bytes;
    while (bytes > 0) {
      if (next_ == buffer_.size() && !fill()) return false;
      const std::size_t part = std::min(bytes, buffer_.size() - next_);
      std::memcpy(out, buffer_.data() + next_, part);
      out += part;
      next_ += part;
      bytes -= part;
    }
    return true;
  }

  bool fill() {
    buffer_.resize(read_bytes);
    buffer_.resize(std::fread(buffer_.data(), 1, read_bytes, file_.get()));
    next_ = 0;
    return !buffer_.empty();
  }

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<std::byte> buffer_;
  std::size_t next_ = 0;
  std::uint64_t place_ = 0;  // [B] of the entries that were taken
  std::optional<CallChecker> checker_;
};

namespace {

constexpr auto later = [](const auto* a, const auto* b) {
  return a->began != b->began ? a->began > b->began : a->head.rank > b->head.rank;
};

}  // namespace

RankLogs::RankLogs(const std::vector<std::string>& paths) {
  if (paths.empty()) throw UserError("logs of ranks: no file is given");
  std::vector<bool> seen;
  for (const std::string& path : paths) {
    logs_.push_back(std::make_unique<Log>(path));
    const LogHead& head = logs_.back()->head;
    if (num_ranks_ == 0) num_ranks_ = head.ranks;
    seen.resize(static_cast<std::size_t>(num_ranks_));
    if (head.ranks != num_ranks_ || seen[static_cast<std::size_t>(head.rank)])
      throw UserError(path + ": of another run than the other logs");
    seen[static_cast<std::size_t>(head.rank)] = true;
    lost_ += head.lost;
    num_calls_ += head.calls;
  }
  complete_ =
      lost_ == 0 && logs_.size() == static_cast<std::size_t>(num_ranks_) &&
      std::all_of(logs_.begin(), logs_.end(), [](const auto& log) { return log->head.ended == 1; });
  program_ = logs_.front()->head.program;
  align_clocks();
  for (const auto& log : logs_)
    if (log->advance()) order_.push_back(log.get());
  std::make_heap(order_.begin(), order_.end(), later);
}

RankLogs::~RankLogs() = default;

// Ranks of a computer have one clock: as told by a rank that came to its end, and so has known it
// longest. Times begin with the first rank.
void RankLogs::align_clocks() {
  std::map<std::string, const Log*> best;
  for (const auto& log : logs_) {
    const Log*& known = best[log->head.host];
    if (known == nullptr || (known->head.ended == 0 && log->head.ended == 1)) known = log.get();
  }
  for (const auto& [host, log] : best) hosts_.push_back(host);
  std::int64_t first = 0;
  for (const auto& log : logs_) {
    const LogHead& head = best[log->head.host]->head;
    log->clock = {head.clock_ticks, head.clock_time, head.seconds_per_tick};
    const std::int64_t start = log->time_of(log->head.start);
    first = log == logs_.front() ? start : std::min(first, start);
  }
  for (const auto& log : logs_) {
    log->clock.time -= first;
    log->ended = log->time_of(log->head.start);
  }
}

std::optional<TimedBlock> RankLogs::next() {
  TimedBlock made;
  Block& block = made.block;
  while (!order_.empty() && block.size() + calls_of_a_turn <= BlockBuilder::most_records) {
    std::pop_heap(order_.begin(), order_.end(), later);
    Log& log = *order_.back();
    bool goes_on = true;
    for (int i = 0; i < calls_of_a_turn && goes_on; ++i) {
      const Record& record = log.record;
      const std::size_t words = block.words.size() + record.words.size();
      const std::size_t outcomes = block.outcomes.size() + record.found.outcomes.size();
      if (block.size() > 0 && std::max(words, outcomes) > BlockBuilder::most_words) {
        std::push_heap(order_.begin(), order_.end(), later);
        return made;
      }
      block.ranks.push_back(log.head.rank);
      block.calls.push_back(record.call);
      block.words.insert(block.words.end(), record.words.begin(), record.words.end());
      block.found.push_back(log.found);
      block.num_outcomes.push_back(static_cast<std::uint32_t>(record.found.outcomes.size()));
      block.outcomes.insert(block.outcomes.end(), record.found.outcomes.begin(),
                            record.found.outcomes.end());
      block.matches.insert(block.matches.end(), log.matches.begin(), log.matches.end());
      made.begins.push_back(log.began);
      made.ends.push_back(log.ended);
      goes_on = log.advance();
    }
    if (goes_on)
      std::push_heap(order_.begin(), order_.end(), later);
    else
      order_.pop_back();
  }
  if (block.size() == 0) return std::nullopt;
  return made;
}

}  // namespace odonata::trace
