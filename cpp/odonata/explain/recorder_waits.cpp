// Waits of ranks, given to categories: part of the recorder.
#include <algorithm>

#include "odonata/explain/recorder.hpp"

namespace odonata {

// Gives all gaps of a rank to categories, from the first on: each gets the time before its own.
class Recorder::Spread {
 public:
  Spread(Recorder& recorder, std::int32_t rank)
      : recorder_(recorder), rank_(rank), begin_(gaps().front().begin) {}

  void until(Time time, std::size_t category) {
    while (number_ < gaps().size() && begin_ < time) {
      const Gap& gap = gaps()[number_];
      const Time end = std::min(time, gap.end);
      recorder_.add(rank_, category, end - begin_);
      begin_ = end;
      if (end == gap.end && ++number_ < gaps().size()) begin_ = gaps()[number_].begin;
    }
  }
  void until(Time time, Category category) { until(time, Categories::of(category)); }

 private:
  [[nodiscard]] const std::vector<Gap>& gaps() const { return recorder_.states_[rank_].gaps; }

  Recorder& recorder_;
  std::int32_t rank_;
  Time begin_;  // [ps] of the time without a category
  std::size_t number_ = 0;  // of its gap
};

// A strand resumes: the message for which it does takes the gaps since a strand last resumed.
void Recorder::attribute(std::int32_t rank) {
  State& state = states_[rank];
  Spread spread(*this, rank);
  if (const Crossing& crossing = trigger_.crossing; transit() != Transit::none) {
    tell_lateness(spread, rank == crossing.to, state.collective);
    tell_way(spread, crossing.transit);
  } else {
    const std::uint32_t last = state.gaps.back().transit;
    spread.until(handed(last), Category::late_sender);
    tell_way(spread, last);
  }
  // A message that has come is held until earlier ones of its pair have.
  spread.until(clock_.now, Category::matching);
  for (const Gap& gap : state.gaps) release(gap.transit);
  state.gaps.clear();
}

// Up to the hand-over of the leg that decides.
void Recorder::tell_lateness(Spread& spread, bool receives, bool collective) const {
  const Crossing& crossing = trigger_.crossing;
  const auto late = [&](Category which) {
    return collective ? Category::late_in_collective : which;
  };
  spread.until(crossing.sent, late(Category::late_sender));
  if (crossing.leg == Leg::data) {
    const Shake& shake = shakes_[trigger_.message];
    spread.until(shake.asked, Category::rendezvous);
    spread.until(shake.matched, receives ? Category::rendezvous : late(Category::late_receiver));
    spread.until(shake.answered, Category::rendezvous);
    spread.until(shake.prepared, receives ? late(Category::late_sender) : Category::rendezvous);
  }
  spread.until(crossing.handed, Category::rendezvous);
}

void Recorder::tell_way(Spread& spread, std::uint32_t transit) const {
  const bool shake = is_shake(leg(transit));
  Time time = handed(transit);
  for_each_piece(transit, [&](const Piece& piece) {
    time += piece.time();
    if (!shake) spread.until(time, categories_.of(piece));
  });
  if (shake) spread.until(time, Category::rendezvous);
}

}  // namespace odonata
