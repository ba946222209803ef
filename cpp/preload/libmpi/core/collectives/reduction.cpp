// Roles in reductions.
#include <cstring>
#include <numeric>
#include <string>

#include "preload/libmpi/core/collectives/op.hpp"
#include "preload/libmpi/core/collectives/reduce_order.hpp"
#include "preload/libmpi/core/collectives/role.hpp"
#include "preload/libmpi/core/environment/error.hpp"

namespace odonata::libmpi {

using trace::Collective;

namespace {

/// Contributions as operands with the layout of the program's memory: in place, or unpacked.
class Operands {
 public:
  enum class Access { overwrite, keep };

  Operands(const Visit& visit, const CollectiveCall& call, const Elements& shape, Access access)
      : visit_(visit),
        op_(*call.op),
        type_(*shape.type),
        count_(shape.count),
        in_place_(type_.contiguous() && access == Access::overwrite) {}

  /// right = left op right.
  void combine(int left, int right) {
    std::byte* to = writable(right);
    op_.apply(readable(left), to, count_, type_);
    give_back(left);
  }

  /// Copies an operand to packed bytes, or to the program's memory.
  void pack(int seat, std::span<std::byte> to) {
    if (!in_place_) type_.pack(readable(seat), count_, to.data());
  }
  void copy(int seat, void* to) { libmpi::copy(readable(seat), count_, type_, to, count_, type_); }

 private:
  using Memory = std::vector<std::max_align_t>;

  [[nodiscard]] const std::byte* readable(int seat) {
    if (type_.contiguous() && !copies_.contains(seat)) return visit_.contribution(seat).data();
    return writable(seat);
  }

  [[nodiscard]] std::byte* writable(int seat) {
    if (in_place_) return visit_.open(seat).data();
    const auto [place, is_new] = copies_.try_emplace(seat);
    if (is_new) unpack(seat, place->second);
    return user_address(place->second);
  }

  void unpack(int seat, Memory& memory) {
    if (spare_.empty()) {
      const auto bytes = static_cast<std::size_t>(type_.span(count_));
      memory.resize(bytes / sizeof(std::max_align_t) + 1);
    } else {
      memory = std::move(spare_.back());
      spare_.pop_back();
    }
    const std::span<const std::byte> from = visit_.contribution(seat);
    type_.unpack(from.data(), static_cast<std::int64_t>(from.size()), user_address(memory), count_);
  }

  // The address that a program would pass: the first byte of data is at true_lb.
  [[nodiscard]] std::byte* user_address(Memory& memory) const {
    return reinterpret_cast<std::byte*>(memory.data()) - type_.true_lb();
  }

  void give_back(int seat) {
    const auto place = copies_.find(seat);
    if (place == copies_.end()) return;
    spare_.push_back(std::move(place->second));
    copies_.erase(place);
  }

  const Visit& visit_;
  const Op& op_;
  const Datatype& type_;
  std::int64_t count_;
  bool in_place_;
  std::unordered_map<int, Memory> copies_;
  std::vector<Memory> spare_;
};

class ReductionRole : public Role {
 public:
  using Role::Role;
  [[nodiscard]] std::size_t bytes() const override { return brings() ? whole().bytes() : 0; }
  void bring(std::span<std::byte> contribution) const override {
    if (brings()) pack(whole(), contribution);
  }

 protected:
  [[nodiscard]] virtual bool brings() const { return true; }
  /// The vector that every rank contributes.
  [[nodiscard]] virtual Elements whole() const {
    return call_.send.in_place ? call_.recv.block(0) : call_.send.block(0);
  }

  /// Throws Error if a rank contributed another number of bytes.
  void check_lengths(const Visit& visit, int first, int n) const {
    const std::size_t mine = whole().bytes();
    for (int seat = first; seat < first + n; ++seat)
      if (const std::size_t other = visit.contribution(seat).size(); other != mine)
        throw Error{ErrorClass::truncate, "rank " + std::to_string(rank_of(seat)) +
                                              " contributed " + std::to_string(other) +
                                              " bytes to a reduction, this rank " +
                                              std::to_string(mine)};
  }
};

class Reduce final : public ReductionRole {
 public:
  using ReductionRole::ReductionRole;
  [[nodiscard]] Arrival arrival() const override {
    return {.need = takes() ? Need::everybody : Need::nobody};
  }
  void take(const Visit& visit) const override {
    if (!takes()) return;
    const Elements shape = call_.recv.block(0);
    check_lengths(visit, seats_.peers, seats_.num_peers);
    Operands operands(visit, call_, shape, Operands::Access::overwrite);
    const int n = seats_.num_peers;
    const int first = call_.op->commutative() && call_.root >= 0 ? call_.root : 0;
    const auto seat = [&](int place) { return seats_.peers + (place + first) % n; };
    const int result =
        binomial_tree(n, [&](int left, int right) { operands.combine(seat(left), seat(right)); });
    operands.copy(seat(result), shape.data);
  }

 private:
  [[nodiscard]] bool brings() const override { return call_.root >= 0; }
  [[nodiscard]] bool takes() const { return am_root() && call_.recv.block(0).bytes() > 0; }
  [[nodiscard]] Elements whole() const override {
    return call_.send.in_place || call_.root < 0 ? call_.recv.block(0) : call_.send.block(0);
  }
};

// The last rank to arrive reduces for all.
class Allreduce : public ReductionRole {
 public:
  using ReductionRole::ReductionRole;
  [[nodiscard]] Arrival arrival() const override {
    return {.need = takes() ? Need::everybody : Need::nobody};
  }
  void combine(Visit& visit) const override {
    combine_group(visit, seats_.local, seats_.num_local);
    if (call_.comm->inter()) combine_group(visit, seats_.peers, seats_.num_peers);
  }
  void take(const Visit& visit) const override {
    if (!takes()) return;
    const std::span<const std::byte> result = visit.result(seats_.peers == 0 ? 0 : 1);
    if (result.size() != whole().bytes()) {
      check_lengths(visit, seats_.peers, seats_.num_peers);
      throw Error{ErrorClass::truncate, "ranks contributed different numbers of bytes"};
    }
    take_result(result);
  }

 protected:
  using Order = int (*)(int, const Combine&);
  [[nodiscard]] virtual Order order() const { return recursive_doubling; }
  /// Does this rank get a part of the result? If not, it does not wait for the others.
  [[nodiscard]] virtual bool takes() const { return whole().bytes() > 0; }
  virtual void take_result(std::span<const std::byte> result) const {
    unpack(result, seats_.peers, call_.recv.block(0));
  }

 private:
  void combine_group(Visit& visit, int first, int n) const {
    const Elements shape = whole();
    for (int seat = first; seat < first + n; ++seat)
      if (visit.contribution(seat).size() != shape.bytes()) return;
    if (shape.bytes() == 0) return;
    Operands operands(visit, call_, shape, Operands::Access::overwrite);
    const int result = first + order()(n, [&](int left, int right) {
                         operands.combine(first + left, first + right);
                       });
    operands.pack(result, visit.open(result));
    visit.set_result(first == 0 ? 0 : 1, result);
  }
};

class ReduceScatter final : public Allreduce {
 public:
  using Allreduce::Allreduce;

 protected:
  [[nodiscard]] Elements whole() const override {
    std::int64_t count = call_.recv.count * seats_.num_local;
    if (!call_.recv.counts.empty())
      count = std::accumulate(call_.recv.counts.begin(), call_.recv.counts.end(), std::int64_t{0});
    return {call_.send.in_place ? call_.recv.data : call_.send.data, count, call_.recv.type.get()};
  }
  [[nodiscard]] Order order() const override {
    return call_.op->commutative() ? recursive_halving : recursive_doubling;
  }
  [[nodiscard]] bool takes() const override {
    const std::vector<std::int64_t>& counts = call_.recv.counts;
    const std::int64_t mine = counts.empty() ? call_.recv.count : counts[call_.comm->rank];
    return mine * call_.recv.type->size() > 0;
  }
  void take_result(std::span<const std::byte> result) const override {
    const int me = call_.comm->rank;
    std::int64_t before = call_.recv.count * me, count = call_.recv.count;
    if (const std::vector<std::int64_t>& counts = call_.recv.counts; !counts.empty()) {
      before = std::accumulate(counts.begin(), counts.begin() + me, std::int64_t{0});
      count = counts[me];
    }
    const auto size = static_cast<std::size_t>(call_.recv.type->size());
    unpack(result.subspan(static_cast<std::size_t>(before) * size,
                          static_cast<std::size_t>(count) * size),
           seats_.me, {call_.recv.data, count, call_.recv.type.get()});
  }
};

// Each rank reduces for itself as soon as all ranks before it have arrived.
class Scan final : public ReductionRole {
 public:
  using ReductionRole::ReductionRole;
  [[nodiscard]] Arrival arrival() const override {
    return num_operands() == 0 ? Arrival{} : Arrival{.need = Need::before, .who = num_operands()};
  }
  void take(const Visit& visit) const override {
    const Elements shape = call_.recv.block(0);
    if (num_operands() == 0) return;
    check_lengths(visit, 0, num_operands());
    Operands operands(visit, call_, shape, Operands::Access::keep);
    const int result =
        scan_order(num_operands(), [&](int left, int right) { operands.combine(left, right); });
    operands.copy(result, shape.data);
  }

 private:
  [[nodiscard]] int num_operands() const {
    if (call_.recv.block(0).bytes() == 0) return 0;
    return seats_.me + (call_.kind == Collective::scan ? 1 : 0);
  }
};

}  // namespace

std::unique_ptr<Role> make_reduction(const CollectiveCall& call) {
  switch (call.kind) {
    case Collective::reduce: return std::make_unique<Reduce>(call);
    case Collective::allreduce: return std::make_unique<Allreduce>(call);
    case Collective::scan:
    case Collective::exscan: return std::make_unique<Scan>(call);
    default: return std::make_unique<ReduceScatter>(call);
  }
}

}  // namespace odonata::libmpi
