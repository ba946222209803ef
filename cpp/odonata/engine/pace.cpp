#include "odonata/engine/pace.hpp"

#include <algorithm>

namespace odonata {

namespace {

constexpr int most_abroad = 32;  // steps over packets of others, to one of the NIC
constexpr int most_steps = 256;  // over packets of other messages
constexpr int most_in_buffer = 1024;  // packets

std::int32_t link_of(const Passage& passage) { return static_cast<std::int32_t>(passage.link); }

}  // namespace

std::span<const Piece> Pace::tell(const Paced& paced) {
  pieces_.clear();
  paced_ = paced;
  const Passage* last = find(static_cast<std::uint32_t>(paced.last));
  if (last == nullptr) return {};
  const Passage* start = at_nic(*last);
  if (start == nullptr) return {};
  nic_ = start->link;
  steps_left_ = most_steps;
  other_ = false;
  time_ = last->end;
  if (paced.delivered) put(WayPart::wire, link_of(*last), delay(*last));
  Place place{last, true};
  while (time_ > paced.since) {
    const bool at_busy = paced.busy && time_ <= paced.begin && place.passage->link == nic_;
    if (at_busy)
      add(WayPart::serialization, static_cast<std::int32_t>(nic_), paced.since);
    else if (!take_step() || !step(place))
      add_forgotten();
    if (pieces_.empty()) break;
  }
  return pieces_;
}

// Packets of other messages take steps, and those of the message itself give some.
bool Pace::take_step() {
  if (other_) return steps_left_-- > 0;
  steps_left_ = std::min(steps_left_ + 2, most_steps);
  return true;
}

// Goes over to another packet.
void Pace::go_to(Place& place, const Place& next) {
  const Passage* start = at_nic(*next.passage);
  other_ = start == nullptr || start->start < paced_.begin;
  place = next;
}

void Pace::add_forgotten() {
  const Piece* longest = nullptr;
  for (const Piece& piece : pieces_)
    if (piece.part() == WayPart::serialization &&
        (longest == nullptr || piece.time() > longest->time()))
      longest = &piece;
  if (longest == nullptr) return pieces_.clear();
  add(WayPart::serialization, longest->link(), paced_.since);
}

// One step back on the chain of packets of the NIC; false if it leads to what is forgotten.
bool Pace::step(Place& place) {
  const Passage& passage = *place.passage;
  if (!place.at_end) return leave_start(place);
  if (const Passage* before = tail_before(passage)) {
    add(WayPart::wire, link_of(*before), std::max(before->end, paced_.since));
    place = {before, true};
  } else {
    add(WayPart::serialization, link_of(passage), std::max(passage.start, paced_.since));
    place = {&passage, false};
  }
  return true;
}

bool Pace::leave_start(Place& place) {
  const Passage& passage = *place.passage;
  const Cause cause = cause_of_start(passage, true);
  const Passage* before = find(passage.before);
  if (cause.why != Why::head && cause.passage != nullptr && go_to_own(place)) return true;
  if (before != nullptr) {
    const Time joined = before->start + delay(*before);
    share(passage, std::max(joined, paced_.since));
    add(WayPart::wire, link_of(*before), std::max(before->start, paced_.since));
    place = {before, false};
    return true;
  }
  // At the NIC packets follow each other.
  const Passage* ahead = find(passage.ahead);
  if (ahead == nullptr) return false;
  share(passage, std::max(ahead->end, paced_.since));
  go_to(place, {ahead, true});
  return true;
}

// Goes to the packet of the NIC that the waiting one came after, maybe over those of others.
bool Pace::go_to_own(Place& place) {
  if (!paced_.several && paced_.since == paced_.begin) return false;
  const Time time = time_;
  abroad_.clear();
  Place now = place;
  for (int i = 0; i < most_abroad && step_abroad(now); ++i) {
    if (!own(*now.passage)) continue;
    for (const Piece& piece : abroad_) put(piece.part(), piece.link(), piece.time());
    go_to(place, now);
    return true;
  }
  time_ = time;
  return false;
}

bool Pace::step_abroad(Place& place) {
  const Passage& passage = *place.passage;
  const auto go = [&](WayPart part, const Passage& link, Time until, Place next) {
    add_piece(abroad_, part, link_of(link), time_ - until);
    time_ = until;
    place = next;
    return time_ >= paced_.since;
  };
  if (place.at_end) {
    if (const Passage* before = tail_before(passage))
      return go(WayPart::wire, *before, before->end, {before, true});
    return go(WayPart::serialization, passage, passage.start, {&passage, false});
  }
  const Cause cause = cause_of_start(passage, false);
  switch (cause.why) {
    case Why::head:
      return go(WayPart::wire, *cause.passage, cause.passage->start, {cause.passage, false});
    case Why::link:
    case Why::credit:
      return go(WayPart::credit, passage, cause.passage->end, {cause.passage, true});
    default: return false;
  }
}

// Gives the time for which a packet has waited to what it waited for.
void Pace::share(const Passage& waiting, Time joined) {
  const Passage* passage = &waiting;
  while (time_ > joined && steps_left_-- > 0) share_step(passage, joined, link_of(waiting));
  if (time_ > joined) add(WayPart::queue, link_of(waiting), joined);
}

void Pace::share_step(const Passage*& passage, Time joined, std::int32_t link) {
  const Cause cause = cause_of_start(*passage, false);
  const Passage* ahead = find(passage->ahead);
  if (cause.why == Why::head) {
    add(WayPart::wire, link_of(*cause.passage), std::max(cause.passage->start, joined));
    passage = cause.passage;
    return;
  }
  if (cause.why == Why::unknown) {  // a gap between messages, the window, or forgotten
    const bool goes_on = passage->before == Passage::none && ahead != nullptr;
    add(WayPart::queue, link, goes_on ? std::max(ahead->end, joined) : joined);
    if (goes_on) share_sending(*ahead, joined);
    passage = ahead;
    return;
  }
  // If the packet that gave the credit has waited itself, the way of the credit cost nothing.
  if (cause.why == Why::credit && !waited(*cause.passage))
    add(WayPart::credit, link_of(*passage), std::max(cause.passage->end, joined));
  share_sending(*cause.passage, joined);
  passage = cause.passage;
}

// A link that was kept busy, by bytes of its own rate or by those of a slower link before it.
void Pace::share_sending(const Passage& passage, Time joined) {
  const auto slowness = [&](const Passage& of) {
    return machine_.class_of(link_of(of)).bandwidth.time_of(1'000'000);
  };
  const Passage* slowest = &passage;
  for (const Passage* i = tail_before(passage); i != nullptr; i = tail_before(*i))
    if (slowness(*i) > slowness(*slowest)) slowest = i;
  add(WayPart::serialization, link_of(*slowest), std::max(passage.start, joined));
}

Pace::Cause Pace::cause_of_start(const Passage& passage, bool head_first) const {
  const Passage* before = find(passage.before);
  const Passage* ahead = find(passage.ahead);
  const bool head = before != nullptr && passage.start == before->start + delay(*before);
  const bool link = ahead != nullptr && passage.start == ahead->end;
  if (head && (head_first || !link)) return {Why::head, before};
  if (link) return {Why::link, ahead};
  if (const Passage* source = source_of_credit(passage)) return {Why::credit, source};
  return {Why::unknown, nullptr};
}

const Passage* Pace::at_nic(const Passage& passage) const {
  const Passage* start = &passage;
  while (start != nullptr && start->before != Passage::none) start = find(start->before);
  return start;
}

// The passage with whose end the packet before left the buffer, of which the credit then came.
const Passage* Pace::source_of_credit(const Passage& passage) const {
  const Time left = passage.start - credit_delay(passage);
  const Passage* ahead = find(passage.ahead);
  for (int i = 0; i < most_in_buffer && ahead != nullptr; ++i, ahead = find(ahead->ahead)) {
    if (ahead->vc != passage.vc || ahead->end > left) continue;
    const Passage* after = find(ahead->after);
    if (after != nullptr && after->end == left) return after;
  }
  return nullptr;
}

const Passage* Pace::tail_before(const Passage& passage) const {
  const Passage* before = find(passage.before);
  return before != nullptr && passage.end == before->end + delay(*before) ? before : nullptr;
}

bool Pace::waited(const Passage& passage) const {
  const Passage* before = find(passage.before);
  return before != nullptr && passage.start > before->start + delay(*before);
}

Time Pace::delay(const Passage& passage) const { return machine_.hop_delay(link_of(passage)); }

Time Pace::credit_delay(const Passage& passage) const {
  return machine_.class_of(link_of(passage)).credit_delay;
}

// Takes the chain back to `until`.
void Pace::add(WayPart part, std::int32_t link, Time until) {
  put(part, link, time_ - until);
  time_ = until;
}

void Pace::put(WayPart part, std::int32_t link, Time time) {
  for (Piece& piece : pieces_)
    if (piece.part() == part && piece.link() == link && piece.time() + time <= Piece::longest) {
      piece = {part, link, piece.time() + time};
      return;
    }
  add_piece(pieces_, part, link, time);
}

}  // namespace odonata
