// Programs whose course depends on time: their records, played, take the times of the run itself,
// and come to an end on other machines.
#include <deque>
#include <map>

#include "calls.hpp"
#include "check.hpp"
#include "odonata/machine/families/dragonfly/dragonfly.hpp"
#include "odonata/random/draws.hpp"
#include "odonata/trace/recorded.hpp"
#include "odonata/trace/recording_source.hpp"

namespace odonata::tests::replay_test {
namespace {

using trace::Answer;
using trace::any;
using trace::Op;
using trace::Record;

/// A rank that decides its next step by answers.
class Deciding {
 public:
  virtual ~Deciding() = default;
  bool next(Record& record) {
    if (queue_.empty()) go_on();
    if (queue_.empty()) return false;
    record = queue_.front();
    record.call.num_words = static_cast<std::uint32_t>(record.words.size());
    asked_ = record;
    queue_.pop_front();
    return true;
  }
  virtual void answered(const Record& asked, const Answer& answer) = 0;
  [[nodiscard]] const Record& asked() const { return asked_; }

 protected:
  /// Called when there is nothing left to do; at the end of the program it adds nothing.
  virtual void go_on() = 0;
  void add(Script calls) {
    for (Record& record : calls.records()) queue_.push_back(std::move(record));
  }

 private:
  std::deque<Record> queue_;
  Record asked_;
};

/// Takes messages from anyone in all ways that there are, and replies to each.
class Master final : public Deciding {
 public:
  explicit Master(int messages) : left_(messages), open_(messages) {
    for (std::uint32_t request = 1; request <= 4; ++request) post(request);
  }

  void answered(const Record& asked, const Answer& answer) override {
    if (asked.call.op == Op::iprobe || asked.call.op == Op::improbe) return probed(asked, answer);
    if (asked.call.op == Op::recv || asked.call.op == Op::mrecv) return;
    for (const trace::Outcome& outcome : answer.outcomes) {
      reply(outcome.source);
      if (asked.words.empty()) continue;
      const auto request = static_cast<std::uint32_t>(asked.words[outcome.index]);
      posted_.erase(request);
      post(request);
    }
  }

 private:
  void go_on() override {
    if (left_ == 0) return;
    static constexpr Op ways[] = {Op::wait_any,  Op::test_some, Op::test_any,
                                  Op::wait_some, Op::test,      Op::iprobe};
    const Op way = ways[turn_++ % std::size(ways)];
    Script::Words requests;
    for (const auto& [request, unused] : posted_) requests.push_back(request);
    if (way == Op::iprobe)
      add(Script().probe(turn_ % 4 < 2 ? Op::iprobe : Op::improbe, any, 2, 9));
    else
      add(Script().compute(static_cast<std::int64_t>(turn_ % 3)).requests(way, requests));
  }
  void probed(const Record& asked, const Answer& answer) {
    if (answer.flag == 0) return;
    const int source = answer.outcomes.at(0).source;
    if (asked.call.op == Op::improbe) return add(Script().mrecv(9));
    add(Script().recv(source, 2));
  }
  void post(std::uint32_t request) {
    if (open_ == 0) return;
    --open_;
    posted_[request] = true;
    add(Script().irecv(request, any, 1));
  }
  void reply(int source) {
    --left_;
    add(Script().send(source, 40 + 300 * (left_ % 3), 3));
  }

  int left_, open_;  // messages to reply to, receives to post
  unsigned turn_ = 0;
  std::map<std::uint32_t, bool> posted_;
};

/// Sends, computes, and tests until there is a reply.
class Worker final : public Deciding {
 public:
  Worker(int rank, int rounds)
      : draws_(1, Purpose::shuffle, static_cast<std::uint64_t>(rank)), rounds_(rounds) {}

  void answered(const Record& asked, const Answer& answer) override {
    if (asked.call.op == Op::test && answer.flag == 0) test();
  }

 private:
  void go_on() override {
    if (round_ == rounds_) return;
    const auto draw = draws_.below(static_cast<std::uint64_t>(round_++), 1'000);
    add(Script().compute(static_cast<std::int64_t>(draw % 7)).irecv(1, 0, 3));
    add(Script().send(0, static_cast<Bytes>(draw) * 9, 1));
    if (draw % 3 == 0) add(Script().send(0, 16, 2));
    test();
  }
  void test() { add(Script().compute(1).requests(Op::test, {1})); }

  Draws draws_;
  int rounds_, round_ = 0;
};

class Running final : public trace::Source {
 public:
  Running(int workers, int rounds) {
    ranks_.push_back(std::make_unique<Master>(workers * rounds));
    for (int rank = 1; rank <= workers; ++rank)
      ranks_.push_back(std::make_unique<Worker>(rank, rounds));
  }
  bool next(int rank, Record& record) override { return ranks_[rank]->next(record); }
  void answer(int rank, const Answer& answer) override {
    Deciding& one = *ranks_[rank];
    one.answered(one.asked(), answer);
  }

 private:
  std::vector<std::unique_ptr<Deciding>> ranks_;
};

std::shared_ptr<const Machine> dragonfly(Time latency) {
  LinkClass link;
  link.bandwidth = {5'250'000'000};
  link.latency = latency;
  link.buffer_bytes = 4096;
  link.credit_delay = latency;
  Dragonfly d;
  d.basics = {"small", 1, 100'000, 1'000, {10'000'000'000}};
  d.nodes_per_router = 2, d.routers_per_group = 4, d.global_links_per_router = 2, d.groups = 9;
  d.injection = d.ejection = d.local = d.global = link;
  return std::make_shared<const Machine>(make_dragonfly(d));
}

struct Ended {
  std::uint64_t digest;
  std::vector<Time> ends;
};

Ended simulate(const std::shared_ptr<const Machine>& machine, int ranks,
               const std::shared_ptr<trace::Source>& source) {
  SimulationOptions options;
  options.digest = true;
  options.mpi.send_overhead = options.mpi.recv_overhead = 200'000;
  options.mpi.eager_threshold = 4'000;
  Simulation simulation(machine, options);
  std::vector<std::int32_t> nodes(ranks);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<std::int32_t>(i);
  simulation.add({nodes, play(source, {})});
  CHECK(simulation.run());
  return {simulation.log().digest, simulation.world().finish_times(0)};
}

/// A run and its record.
struct Recording {
  Recording(const std::shared_ptr<const Machine>& machine, int workers, int rounds)
      : ranks(workers + 1) {
    const auto recorder = std::make_shared<trace::RecordingSource>(
        std::make_shared<Running>(workers, rounds), ranks,
        [this](const trace::Block& block) { blocks.push_back(block); });
    ended = simulate(machine, ranks, recorder);
    recorder->finish();
  }
  Ended replay(const std::shared_ptr<const Machine>& machine) const {
    std::vector<trace::Match> matches;
    for (const trace::Block& b : blocks)
      matches.insert(matches.end(), b.matches.begin(), b.matches.end());
    auto given = std::make_shared<std::size_t>(0);
    const auto more = [this, given]() -> std::optional<trace::Block> {
      if (*given == blocks.size()) return std::nullopt;
      return blocks[(*given)++];
    };
    constexpr std::size_t most_held = 1 << 26;  // [B]
    return simulate(machine, ranks,
                    std::make_shared<trace::Recorded>(ranks, matches, more, most_held));
  }

  int ranks;
  std::vector<trace::Block> blocks;
  Ended ended;
};

TEST("replay/a record takes the times of the run, event by event") {
  for (const int workers : {1, 2, 7, 13}) {
    const auto machine = dragonfly(10'000);
    const Recording run(machine, workers, 40);
    const Ended again = run.replay(machine);
    CHECK_EQUAL(again.digest, run.ended.digest);
    CHECK(again.ends == run.ended.ends);
  }
}

TEST("replay/a record comes to its end on faster and slower machines") {
  const Recording run(dragonfly(10'000), 7, 40);
  const Time end = run.ended.ends[0];
  CHECK(run.replay(dragonfly(2'000'000)).ends[0] > 2 * end);
  CHECK(run.replay(dragonfly(0)).ends[0] < 2 * end);  // as many tests in vain as there were
  CHECK(run.replay(plain_machine()).ends[0] > 0);
}

}  // namespace
}  // namespace odonata::tests::replay_test
