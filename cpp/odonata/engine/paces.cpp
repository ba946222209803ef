#include "odonata/engine/paces.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "odonata/units/errors.hpp"

namespace odonata {

void Paces::add(std::uint32_t number, std::uint32_t before, const std::optional<Paced>& paced) {
  if (num_kept_ == 0) {
    first_ = number;
    due_ = passages_.latest() + passages_.spare();
  }
  if (num_kept_ > mask_) make_room();
  hold(before);
  ++num_kept_;
  at(number) = {paced, passages_.latest(), before, 1};
}

void Paces::make_room() {
  Table<Kept> all(2 * kept_.size());
  const std::uint32_t mask = 2 * mask_ + 1;
  for (std::uint32_t i = first_; i != first_ + num_kept_; ++i) all[i & mask] = at(i);
  kept_ = std::move(all);
  mask_ = mask;
}

void Paces::take_back(std::uint32_t number) {
  if (waits(number)) {
    release(at(number).before);
    --num_kept_;
  } else if (!told_.empty() && told_.back().number == number) {
    pieces_.shrink(told_.back().first);
    told_.pop_back();
  }
}

void Paces::settle() {
  while (num_kept_ > 0 && passages_.latest() >= at(first_).latest + passages_.spare())
    settle_first();
  due_ = num_kept_ == 0 ? never_due : at(first_).latest + passages_.spare();
}

void Paces::close() {
  while (num_kept_ > 0) settle_first();
  due_ = never_due;
}

void Paces::settle_first() {
  const Kept& kept = at(first_);
  if (kept.paced && kept.holders > 0) {
    const std::span<const Piece> pieces = pace_.tell(*kept.paced);
    told_.push_back({first_, static_cast<std::uint32_t>(pieces.size()), pieces_.size()});
    for (const Piece& piece : pieces) pieces_.push_back(piece);
  }
  ++first_;
  --num_kept_;
}

Way Paces::of(std::uint32_t number) const {
  const auto found =
      std::lower_bound(told_.begin(), told_.end(), number,
                       [](const Told& told, std::uint32_t other) { return told.number < other; });
  if (found == told_.end() || found->number != number)
    throw InternalError("explain: nobody held message " + std::to_string(number) +
                        " of the critical path");
  Way way;
  for (std::uint32_t i = 0; i < found->pieces; ++i) way.push_back(pieces_[found->first + i]);
  return way;
}

}  // namespace odonata
