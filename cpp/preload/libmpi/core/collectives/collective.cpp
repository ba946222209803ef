#include "preload/libmpi/core/collectives/collective.hpp"

#include <optional>
#include <utility>

#include "preload/libmpi/core/collectives/board.hpp"
#include "preload/libmpi/core/collectives/exchange.hpp"
#include "preload/libmpi/core/collectives/role.hpp"
#include "preload/libmpi/core/communicators/communicators.hpp"
#include "preload/libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

namespace {

constexpr std::uint32_t nonblocking = 0x100;  // does not match a blocking call

/// A collective in progress.
class UnderWay {
 public:
  /// The call must outlive it.
  UnderWay(const CollectiveCall& call, std::uint32_t flags) : call_(call), role_(make_role(call)) {
    if (call.comm->inter()) everyone_ = everyone(*call.comm);
    visit_.emplace(*self().endpoint, seating(), agreement(flags), role_->bytes());
    role_->bring(visit_->mine());
    visit_->arrive(role_->arrival(), [this](Visit& visit) { role_->combine(visit); });
  }

  [[nodiscard]] bool ready() const { return visit_->ready(); }
  void take() const { role_->take(*visit_); }
  [[nodiscard]] live::Waiting waiting() const {
    return {.function = static_cast<std::uint16_t>(call_.function),
            .answer = 0,
            .peer = visit_->missing(),
            .tag = 0,
            .comm = call_.comm->number};
  }

 private:
  [[nodiscard]] Seating seating() const {
    Comm& comm = *call_.comm;
    return {.identity = comm.identity,
            .number = comm.next_collective++,
            .members = everyone_.empty() ? comm.group->members : everyone_,
            .seat = role_->seats().me};
  }
  [[nodiscard]] Agreement agreement(std::uint32_t flags) const {
    return {.what = static_cast<std::uint32_t>(call_.kind) | flags,
            .root = role_->root(),
            .function = call_.function};
  }

  const CollectiveCall& call_;
  std::unique_ptr<Role> role_;
  std::vector<std::int32_t> everyone_;
  std::optional<Visit> visit_;
};

/// Ends the collective under way, also where an error is thrown.
class Leave {
 public:
  explicit Leave(std::optional<UnderWay>& under_way) : under_way_(under_way) {}
  Leave(const Leave&) = delete;
  Leave& operator=(const Leave&) = delete;
  ~Leave() { under_way_.reset(); }

 private:
  std::optional<UnderWay>& under_way_;
};

class CollectiveRequest final : public Request {
 public:
  explicit CollectiveRequest(CollectiveCall call) : call_(std::move(call)) {
    number = self().request_numbers.take();
  }
  CollectiveRequest(const CollectiveRequest&) = delete;
  CollectiveRequest& operator=(const CollectiveRequest&) = delete;
  ~CollectiveRequest() override {
    under_way_.reset();
    self().request_numbers.give_back(number);
  }

  void start(Function function) override {
    active = true;
    under_way_.emplace(call_, nonblocking);
    trace::Record record = record_of(call_);
    record.call.function = static_cast<std::uint16_t>(function);
    record.call.op = trace::Op::icollective;
    record.call.request = number;
    self().endpoint->report(record.call, record.words);
  }
  [[nodiscard]] bool ready() override { return !under_way_ || under_way_->ready(); }
  void finish() override {
    if (!under_way_) return;
    const Leave leave(under_way_);
    under_way_->take();
  }
  [[nodiscard]] live::Waiting waiting() const override {
    return under_way_ ? under_way_->waiting() : live::Waiting{};
  }

 private:
  CollectiveCall call_;
  std::optional<UnderWay> under_way_;
};

}  // namespace

void run_collective(const CollectiveCall& call) {
  check(call);
  const UnderWay under_way(call, 0);
  const trace::Record record = record_of(call);
  Endpoint& endpoint = *self().endpoint;
  endpoint.report(record.call, record.words);
  if (!under_way.ready()) endpoint.wait(under_way.waiting(), [&] { return under_way.ready(); });
  under_way.take();
}

RequestRef begin_collective(CollectiveCall call) {
  const Function function = call.function;
  check(call);
  auto request = std::make_shared<CollectiveRequest>(std::move(call));
  request->start(function);
  return request;
}

// Ranks create persistent collectives in the same order, but may start them in different orders.
RequestRef init_collective(CollectiveCall call) {
  check(call);
  const std::uint64_t key = ++call.comm->num_persistent;
  call.comm = companion(call.function, *call.comm, key);
  auto request = std::make_shared<CollectiveRequest>(std::move(call));
  request->persistent = true;
  request->active = false;
  return request;
}

}  // namespace odonata::libmpi
