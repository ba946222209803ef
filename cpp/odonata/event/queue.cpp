#include "odonata/event/queue.hpp"

#include <array>
#include <numeric>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

constexpr std::size_t many = 16;

// For few events, and for events that are nearly in order.
void insertion_sort(Event* first, Event* last) {
  for (Event* next = first + 1; next < last; ++next) {
    const Event event = *next;
    Event* place = next;
    for (; place > first && event < place[-1]; --place) *place = place[-1];
    *place = event;
  }
}

}  // namespace

void EventQueue::push_far(Event event) {
  if (event.time > latest) {
    --size_;  // it is not taken
    throw UserError(Fault{"time: the run takes longer than can be simulated", {}, "up to 26 days"});
  }
  far_.push_back(event);
  std::push_heap(far_.begin(), far_.end(), later);
}

void EventQueue::insert_held() {
  shuffle(held_, Draws(shuffle_seed_, Purpose::shuffle, shuffles_++));
  for (const Event& event : held_) insert(event);
  held_.clear();
}

// Sorts the next bucket behind the few events that are left; if none are, the next that isn't
// empty.
void EventQueue::advance() {
  if (next_ >= most_past || next_ == now_.size()) {
    now_.erase(now_.begin(), now_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }
  if (size_ == now_.size() - next_) return;
  do {
    if (size_ == far_.size()) current_ = (far_.front().time >> shift_) - 1;  // skip the empty ring
    ++current_;
    take_far();
    take_bucket();
    ++steps_;
  } while (now_.empty());
  if (filled_ >= review || steps_ >= 8 * num_buckets) adapt();
}

// Narrower buckets where sorting dominates, wider ones where most buckets are empty or many events
// are beyond the last: the heap costs more than sorting, which many events at one time always need.
void EventQueue::adapt() {
  const std::size_t filled = filled_, taken = taken_, steps = steps_, far = taken_far_;
  filled_ = taken_ = steps_ = taken_far_ = 0;
  if ((taken < sparse * steps || taken < too_far * far) && shift_ < 40)
    resize(shift_ + 1);
  else if (taken > crowded * filled && taken > far_enough * far && shift_ > 0)
    resize(shift_ - 1);
}

// Many events are first put where their time belongs in the bucket, without comparing: then few are
// out of order, unless many have one time.
void EventQueue::take_bucket() {
  auto& bucket = ring_[static_cast<std::size_t>(current_) & mask];
  if (bucket.empty()) return;
  ++filled_;
  taken_ += bucket.size();
  const std::size_t before = now_.size();
  if (bucket.size() < many) {
    now_.insert(now_.end(), bucket.begin(), bucket.end());
    insertion_sort(now_.data() + before, now_.data() + now_.size());
  } else {
    now_.resize(before + bucket.size());
    spread(bucket, now_.data() + before);
  }
  bucket.clear();
  spare_.emplace_back();
  spare_.back().swap(bucket);
}

void EventQueue::spread(const std::vector<Event>& bucket, Event* out) const {
  constexpr int bits = 6;
  constexpr std::size_t places = std::size_t{1} << bits;
  const int drop = std::max(shift_ - bits, 0);
  const auto place_of = [&](const Event& event) {
    return static_cast<std::size_t>(event.time >> drop) & (places - 1);
  };
  std::array<std::uint32_t, places> ends{};
  for (const Event& event : bucket) ++ends[place_of(event)];
  const std::uint32_t most = *std::max_element(ends.begin(), ends.end());
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::uint32_t{0});
  for (const Event& event : bucket) out[ends[place_of(event)]++] = event;
  if (most > many)
    std::sort(out, out + bucket.size());
  else
    insertion_sort(out, out + bucket.size());
}

// Far events enter the ring when the ring's horizon reaches them.
void EventQueue::take_far() {
  while (!far_.empty() && (far_.front().time >> shift_) < current_ + num_buckets) {
    const Event event = far_.front();
    std::pop_heap(far_.begin(), far_.end(), later);
    far_.pop_back();
    append(ring_[static_cast<std::size_t>(event.time >> shift_) & mask], event);
    ++taken_far_;
  }
}

// Redistributes every pending event over buckets of another width; now_ is sorted already.
void EventQueue::resize(int shift) {
  std::vector<Event> pending = std::move(far_);
  far_.clear();
  for (auto& bucket : ring_) {
    pending.insert(pending.end(), bucket.begin(), bucket.end());
    bucket.clear();
  }
  const Time reached = now_.empty() ? (current_ << shift_) : now_.back().time;
  shift_ = shift;
  current_ = reached >> shift_;
  for (const Event& event : pending) insert(event);
}

}  // namespace odonata
