#include "preload/libmpi/core/shared_memory/lookahead.hpp"

#include <algorithm>
#include <cmath>

namespace odonata::libmpi {

namespace {

using trace::Answer;
using trace::Call;
using trace::Op;
using Words = std::span<const std::uint64_t>;

constexpr std::size_t most_in_vain = 8;  // different tests and probes that a loop may have

}  // namespace

// A matched probe that finds nothing gives its number back, so numbers do not distinguish probes.
bool Lookahead::Vain::same(const Call& other, Words other_words) const {
  if (call.op != other.op || call.comm != other.comm) return false;
  if (call.kind() == trace::Kind::probe)
    return call.probe.source == other.probe.source && call.probe.tag == other.probe.tag;
  return call.request == other.request && std::ranges::equal(words, other_words);
}

// Simulated time of a processor time, calculated as the player does.
Time Lookahead::after(std::int64_t compute) const {
  constexpr double picoseconds = 1000;  // a nanosecond
  return now_ + std::llround(static_cast<double>(compute) * picoseconds * scale_);
}

void Lookahead::end() {
  quiet_until_ = 0;
  undisturbed_ = false;
  in_vain_.clear();
}

void Lookahead::note(const Call& call, std::int64_t compute) {
  if (quiet_until_ == 0 && !undisturbed_ && in_vain_.empty()) return;
  if (call.op == Op::local)
    now_ = after(compute);
  else
    end();
}

const Lookahead::Vain* Lookahead::in_vain(const Call& call, Words words) const {
  const auto same = [&](const Vain& one) { return one.same(call, words); };
  const auto found = std::ranges::find_if(in_vain_, same);
  return found == in_vain_.end() ? nullptr : &*found;
}

// Cost of a test or probe that finds nothing, calculated as the player does.
Time Lookahead::cost_of(const Call& call, Words words) const {
  if (call.kind() == trace::Kind::probe) return poll_;
  const bool one = words.empty() && call.request != trace::no_request;
  const auto listed = std::ranges::count_if(words, [](std::uint64_t number) {
    return static_cast<std::uint32_t>(number) != trace::no_request;
  });
  return poll_ + look_ * (one ? 1 : listed);
}

std::optional<Answer> Lookahead::answer(const Call& call, Words words, std::int64_t compute) {
  const Time asked = after(compute);
  const bool known = asked < quiet_until_ || (undisturbed_ && call.op == Op::clock);
  if (!known) return std::nullopt;
  Answer answer;
  if (call.op == Op::clock) {
    answer.now = asked;
    answer.flag = 1;
  } else {
    const Vain* vain = in_vain(call, words);
    if (vain == nullptr) return std::nullopt;
    answer.now = asked + vain->cost;
  }
  now_ = answer.now;
  return answer;
}

void Lookahead::take(const Call& call, Words words, const Answer& answer) {
  if (!used_) return;
  if (answer.quiet_until == 0) end();
  now_ = answer.now;
  undisturbed_ = answer.undisturbed != 0;
  if (answer.quiet_until == 0) return;
  if (answer.touches != touches_) in_vain_.clear();
  quiet_until_ = answer.quiet_until;
  touches_ = answer.touches;
  if (trace::is_poll(call.op) && in_vain(call, words) == nullptr) {
    Vain vain{call, {words.begin(), words.end()}, cost_of(call, words)};
    if (in_vain_.size() < most_in_vain)
      in_vain_.push_back(std::move(vain));
    else
      in_vain_[next_++ % most_in_vain] = std::move(vain);
  }
}

}  // namespace odonata::libmpi
