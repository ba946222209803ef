// Waits of ranks, given to categories: part of the explainer.
#include <algorithm>

#include "odonata/explain/explainer.hpp"

namespace odonata {

// Gives all gaps of a rank to categories, from the first on: each gets the time before its own.
class Explainer::Spread {
 public:
  Spread(Explainer& explainer, std::int32_t rank)
      : explainer_(explainer), rank_(rank), begin_(gaps().front().begin) {}

  void until(Time time, std::size_t category) {
    while (number_ < gaps().size() && begin_ < time) {
      const Gap& gap = gaps()[number_];
      const Time end = std::min(time, gap.end);
      explainer_.add(rank_, category, end - begin_);
      begin_ = end;
      if (end == gap.end && ++number_ < gaps().size()) begin_ = gaps()[number_].begin;
    }
  }
  void until(Time time, Category category) { until(time, Categories::of(category)); }

 private:
  [[nodiscard]] const std::vector<Gap>& gaps() const { return explainer_.states_[rank_].gaps; }

  Explainer& explainer_;
  std::int32_t rank_;
  Time begin_;  // [ps] of the time without a category
  std::size_t number_ = 0;  // of its gap
};

// A coroutine resumes: the message for which it does takes the gaps since a coroutine last resumed.
void Explainer::attribute(std::int32_t rank) {
  State& state = states_[rank];
  Spread spread(*this, rank);
  if (const LegState& leg_state = trigger_.leg; crossing()) {
    tell_lateness(spread, rank == leg_state.to, state.collective);
    tell_way(spread, leg_state.crossing);
  } else {
    const CrossingId last = state.gaps.back().crossing;
    spread.until(handed(last), Category::late_sender);
    tell_way(spread, last);
  }
  // A message that has come is held until earlier ones of its pair have.
  spread.until(clock_.now, Category::matching);
  for (const Gap& gap : state.gaps) release(gap.crossing);
  state.gaps.clear();
}

// Up to the hand-over of the leg that decides.
void Explainer::tell_lateness(Spread& spread, bool receives, bool collective) const {
  const LegState& leg_state = trigger_.leg;
  const auto late = [&](Category which) {
    return collective ? Category::late_in_collective : which;
  };
  spread.until(leg_state.sent, late(Category::late_sender));
  if (leg_state.leg == Leg::data) {
    const Handshake& handshake = handshakes_[trigger_.message];
    spread.until(handshake.asked, Category::rendezvous);
    spread.until(handshake.matched,
                 receives ? Category::rendezvous : late(Category::late_receiver));
    spread.until(handshake.answered, Category::rendezvous);
    spread.until(handshake.prepared, receives ? late(Category::late_sender) : Category::rendezvous);
  }
  spread.until(leg_state.handed, Category::rendezvous);
}

void Explainer::tell_way(Spread& spread, CrossingId crossing) const {
  const bool handshake = is_handshake(leg(crossing));
  Time time = handed(crossing);
  for_each_piece(crossing, [&](const Piece& piece) {
    time += piece.time();
    if (!handshake) spread.until(time, categories_.of(piece));
  });
  if (handshake) spread.until(time, Category::rendezvous);
}

}  // namespace odonata
