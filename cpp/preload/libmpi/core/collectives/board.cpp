#include "preload/libmpi/core/collectives/board.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/shared_memory/pool.hpp"

namespace odonata::libmpi {

namespace {

constexpr std::size_t small_bytes = 32;
constexpr int num_results = 2;

enum class State : std::uint32_t { empty, taken, arrived };

}  // namespace

struct Seat {
  Offset contribution = 0;  // in `small`, or a block of its own
  std::uint64_t bytes = 0;
  std::atomic<State> state{State::empty};
  std::atomic<std::uint32_t> missing{0};  // announcements
  std::atomic<Need> need{Need::nobody};
  alignas(16) std::array<std::byte, small_bytes> small;
};
static_assert(sizeof(Seat) == 64);

struct Gathering {
  Offset next = 0;
  std::uint64_t identity = 0, number = 0;
  Agreement agreement;      // of the member that came first
  std::int32_t first = 0;   // its seat
  std::uint32_t num_seats = 0;
  std::uint32_t num_arrived = 0;           // counted under the bucket's lock
  std::atomic<std::uint32_t> in_a_row{0};  // seats 0, 1, ... that have arrived
  std::atomic<std::uint32_t> complete{0};  // all have arrived, and results are there
  std::atomic<std::uint32_t> num_left{0};
  std::array<std::uint32_t, num_results> results{};  // 1 + seat; 0: no seat
};

namespace {

constexpr std::size_t head_bytes = (sizeof(Gathering) + 63) / 64 * 64;

std::size_t gathering_bytes(std::size_t num_seats) { return head_bytes + num_seats * sizeof(Seat); }

live::Bucket& bucket_of(const Endpoint& endpoint, const Seating& seating) {
  std::uint64_t key = seating.identity * 0x9e3779b97f4a7c15 + seating.number;
  key = (key ^ (key >> 31U)) * 0xbf58476d1ce4e5b9;
  key ^= key >> 29U;
  return endpoint.bucket(num_pools + key % (live::num_buckets - num_pools));
}

std::string describe(const Agreement& agreement) {
  std::string text{trace::function_names()[static_cast<std::size_t>(agreement.function)]};
  if (agreement.root >= 0) text += " with root " + std::to_string(agreement.root);
  return text;
}

}  // namespace

Visit::Visit(Endpoint& endpoint, const Seating& seating, const Agreement& agreement,
             std::size_t bytes)
    : endpoint_(endpoint), seating_(seating), root_(agreement.root) {
  join(agreement);
  Seat& mine = seat(seating_.seat);
  mine.bytes = bytes;
  mine.contribution = bytes > small_bytes
                          ? take_block(endpoint_, bytes)
                          : static_cast<Offset>(mine.small.data() - endpoint_.at(0));
}

// Gatherings with the same key form a queue: a member that was in the first joins the second.
void Visit::join(const Agreement& agreement) {
  live::Bucket& bucket = bucket_of(endpoint_, seating_);
  const Lock lock(endpoint_, bucket);
  Offset* last = &bucket.first;
  for (; *last != 0; last = &gathering_->next) {
    gathering_ = reinterpret_cast<Gathering*>(endpoint_.at(*last));
    offset_ = *last;
    if (gathering_->identity != seating_.identity || gathering_->number != seating_.number)
      continue;
    if (seat(seating_.seat).state.load() != State::empty) continue;
    check(agreement);
    seat(seating_.seat).state.store(State::taken);
    return;
  }
  const std::size_t num_seats = seating_.members.size();
  offset_ = take_block(endpoint_, gathering_bytes(num_seats));
  gathering_ = new (endpoint_.at(offset_)) Gathering{
      .identity = seating_.identity,
      .number = seating_.number,
      .agreement = agreement,
      .first = seating_.seat,
      .num_seats = static_cast<std::uint32_t>(num_seats),
  };
  for (std::size_t i = 0; i < num_seats; ++i) new (&seat(static_cast<int>(i))) Seat;
  seat(seating_.seat).state.store(State::taken);
  *last = offset_;
}

void Visit::check(const Agreement& agreement) {
  Agreement& agreed = gathering_->agreement;
  const bool same_root = agreed.root < 0 || agreement.root < 0 || agreed.root == agreement.root;
  if (agreed.what != agreement.what || !same_root)
    throw Error{same_root ? ErrorClass::other : ErrorClass::root,
                describe(agreement) + ", where rank " +
                    std::to_string(seating_.members[gathering_->first]) + " called " +
                    describe(agreed)};
  if (agreed.root < 0) agreed.root = agreement.root;
}

Visit::~Visit() {
  if (gathering_->num_left.fetch_add(1) + 1 == gathering_->num_seats) clear();
}

void Visit::clear() {
  {
    live::Bucket& bucket = bucket_of(endpoint_, seating_);
    const Lock lock(endpoint_, bucket);
    Offset* place = &bucket.first;
    while (*place != offset_) place = &reinterpret_cast<Gathering*>(endpoint_.at(*place))->next;
    *place = gathering_->next;
  }
  for (std::uint32_t i = 0; i < gathering_->num_seats; ++i) {
    const Seat& each = seat(static_cast<int>(i));
    if (each.bytes > small_bytes) give_block(endpoint_, each.contribution, each.bytes);
  }
  give_block(endpoint_, offset_, gathering_bytes(gathering_->num_seats));
}

Seat& Visit::seat(int index) const {
  return reinterpret_cast<Seat*>(endpoint_.at(offset_ + head_bytes))[index];
}

// ---- arriving

std::span<std::byte> Visit::mine() { return open(seating_.seat); }

void Visit::arrive(const Arrival& arrival, const std::function<void(Visit&)>& at_last) {
  need_ = arrival.need;
  who_ = arrival.who;
  sources_.assign(arrival.sources.begin(), arrival.sources.end());
  const auto before = static_cast<int>(gathering_->in_a_row.load());
  bool last = false;
  std::vector<int> announced;
  {
    const Lock lock(endpoint_, bucket_of(endpoint_, seating_));
    announced = take_note(arrival);
    last = ++gathering_->num_arrived == gathering_->num_seats;
  }
  const auto num_seats = static_cast<int>(gathering_->num_seats);
  for (const int other : announced) endpoint_.wake(seating_.members[other]);
  const auto after = static_cast<int>(gathering_->in_a_row.load());
  if (after > before) wake_waiting(Need::before, before, std::min(after + 1, num_seats));
  if (root_ == seating_.seat) wake_waiting(Need::one, 0, num_seats);
  if (!last) return;
  struct Completion {
    const Visit& visit;
    int num_seats;
    Completion(const Visit& of, int seats) : visit(of), num_seats(seats) {}
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;
    ~Completion() {
      visit.gathering_->complete.store(1);
      visit.wake_waiting(Need::everybody, 0, num_seats);
    }
  };
  const Completion completion(*this, num_seats);
  if (at_last) at_last(*this);
}

// Called under the lock. Returns the seats that now have all their announcements.
std::vector<int> Visit::take_note(const Arrival& arrival) {
  Seat& mine = seat(seating_.seat);
  mine.need.store(arrival.need);
  mine.state.store(State::arrived);
  mine.missing.store(
      static_cast<std::uint32_t>(std::count_if(sources_.begin(), sources_.end(), [this](int from) {
        return seat(from).state.load() != State::arrived;
      })));
  std::vector<int> complete;
  for (const int to : arrival.destinations) {
    Seat& other = seat(to);
    if (to == seating_.seat || other.state.load() != State::arrived) continue;
    if (other.missing.load() > 0 && other.missing.fetch_sub(1) == 1) complete.push_back(to);
  }
  std::uint32_t in_a_row = gathering_->in_a_row.load();
  while (in_a_row < gathering_->num_seats &&
         seat(static_cast<int>(in_a_row)).state.load() == State::arrived)
    ++in_a_row;
  gathering_->in_a_row.store(in_a_row);
  return complete;
}

void Visit::wake_waiting(Need need, int begin, int end) const {
  for (int i = begin; i < end; ++i)
    if (i != seating_.seat && seat(i).need.load() == need) endpoint_.wake(seating_.members[i]);
}

// ---- waiting

bool Visit::ready() const {
  switch (need_) {
    case Need::nobody: return true;
    case Need::one: return seat(who_).state.load() == State::arrived;
    case Need::before: return gathering_->in_a_row.load() >= static_cast<std::uint32_t>(who_);
    case Need::sources: return seat(seating_.seat).missing.load() == 0;
    case Need::everybody: return gathering_->complete.load() != 0;
  }
  return true;
}

std::int32_t Visit::missing() const {
  if (ready()) return -1;
  int absent = static_cast<int>(gathering_->in_a_row.load());
  if (need_ == Need::one) absent = who_;
  if (need_ == Need::sources)
    for (const int from : sources_)
      if (seat(from).state.load() != State::arrived) absent = from;
  return absent < static_cast<int>(gathering_->num_seats) ? seating_.members[absent] : -1;
}

// ---- reading

std::span<const std::byte> Visit::contribution(int index) const { return open(index); }

std::span<std::byte> Visit::open(int index) const {
  const Seat& from = seat(index);
  return {endpoint_.at(from.contribution), from.bytes};
}

void Visit::set_result(int which, int index) const {
  gathering_->results[which] = static_cast<std::uint32_t>(index) + 1;
}

std::span<const std::byte> Visit::result(int which) const {
  const std::uint32_t from = gathering_->results[which];
  return from == 0 ? std::span<const std::byte>{} : contribution(static_cast<int>(from) - 1);
}

}  // namespace odonata::libmpi
