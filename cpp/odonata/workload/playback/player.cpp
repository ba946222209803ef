#include "odonata/workload/playback/player.hpp"

#include "odonata/workload/playback/rank_player.hpp"

namespace odonata {

namespace {

using playback::Players;
using playback::RankPlayer;

// Memory for so many words is kept at every rank from call to call.
constexpr std::size_t most_kept = 64;

// Most calls are played without a coroutine of their own.
Task play_rank(Rank rank, std::shared_ptr<Players> players) {
  RankPlayer player(rank, *players);
  trace::Record record;
  while (player.next(record)) {
    if (const Time time = player.pass(record); time > 0) co_await rank.compute(time);
    if (const Time time = player.compute_before(record.call); time > 0) co_await rank.compute(time);
    player.enter(record);
    if (RankPlayer::is_plain(record.call.op)) {
      player.start(record);
      co_await rank.complete_all(player.waiting());
      player.finish(record);
    } else {
      Task run = player.perform(record);
      co_await run;
    }
    player.leave(record);
    if (record.call.op == trace::Op::finalize) break;
    if (record.words.capacity() > most_kept) record.words = std::vector<std::uint64_t>();
  }
}

void check(const PlayOptions& options) {
  if (options.poll <= 0)
    throw UserError("poll [ps]: out of range", options.poll,
                    "more than 0, or loops around tests never end");
  if (!(options.compute_scale >= 0))
    throw UserError("compute scale: out of range", options.compute_scale, "0 or more");
}

}  // namespace

Aborted::Aborted(int aborting_rank, int exit_code)
    : UserError("rank " + std::to_string(aborting_rank) + " called MPI_Abort with code " +
                std::to_string(exit_code)),
      rank(aborting_rank),
      code(exit_code) {}

Program play(std::shared_ptr<trace::Source> source, PlayOptions options) {
  check(options);
  const auto players = std::make_shared<Players>(std::move(source), std::move(options));
  return [players](Rank rank) {
    if (const auto& statistics = players->options().statistics)
      statistics->ranks.resize(rank.size());
    return play_rank(std::move(rank), players);
  };
}

}  // namespace odonata
