// Roles in barriers and in collectives that move blocks.
#include "preload/libmpi/core/collectives/role.hpp"

#include <cstring>
#include <string>

#include "preload/libmpi/core/environment/error.hpp"

namespace odonata::libmpi {

using trace::Collective;

Seats::Seats(const Comm& comm)
    : num_seats(comm.size()), me(comm.rank), num_local(comm.size()), num_peers(comm.size()) {
  if (!comm.inter()) return;
  num_peers = comm.remote->size();
  num_seats = num_local + num_peers;
  const bool remote_first = comm.remote->members.front() < comm.group->members.front();
  (remote_first ? local : peers) = remote_first ? num_peers : num_local;
  me += local;
}

int Role::root() const {
  if (call_.root == this_is_root) return seats_.me;
  return call_.root < 0 ? -1 : seats_.peers + call_.root;
}

int Role::rank_of(int seat) const {
  if (call_.comm->inter() && seat >= seats_.peers && seat < seats_.peers + seats_.num_peers)
    return seat - seats_.peers;
  return seat - seats_.local;
}

void Role::unpack(std::span<const std::byte> from, int seat, const Elements& into) const {
  const std::size_t room = into.bytes();
  if (from.size() > room)
    throw Error{ErrorClass::truncate, std::to_string(from.size()) + " bytes from rank " +
                                          std::to_string(rank_of(seat)) + " into a buffer of " +
                                          std::to_string(room)};
  if (!from.empty())
    into.type->unpack(from.data(), static_cast<std::int64_t>(from.size()), into.data, into.count);
}

void pack(const Elements& from, std::span<std::byte> to) {
  if (!to.empty()) from.type->pack(from.data, from.count, to.data());
}

Elements BufferBlocks::block(int index) const {
  const auto i = static_cast<std::size_t>(index);
  const std::int64_t size = counts.empty() ? count : counts[i];
  const Datatype* element = types.empty() ? type.get() : types[i].get();
  if (size == 0) return {data, 0, element};
  const std::int64_t extent = types.empty() ? element->extent() : 1;
  const std::int64_t place = displacements.empty() ? index * size : displacements[i];
  return {static_cast<std::byte*>(data) + place * extent, size, element};
}

namespace {

// A barrier moves no data, but it waits in real time as well: programs rely on files that another
// rank wrote before the barrier.
class Barrier final : public Role {
 public:
  using Role::Role;
  [[nodiscard]] Arrival arrival() const override { return {.need = Need::everybody}; }
};

/// Packed blocks of one rank for each of n others. Blocks of unequal size follow a table of n + 1
/// offsets.
class Parcel {
 public:
  Parcel(bool even, int n) : even_(even), n_(n) {}

  [[nodiscard]] std::size_t bytes(const BufferBlocks& blocks) const {
    if (even_) return whole(blocks).bytes();
    std::size_t total = table(n_ + 1);
    for (int i = 0; i < n_; ++i) total += blocks.block(i).bytes();
    return total;
  }

  void pack(const BufferBlocks& blocks, std::span<std::byte> to) const {
    if (even_) return libmpi::pack(whole(blocks), to);
    std::uint64_t place = table(n_ + 1);
    for (int i = 0; i < n_; ++i) {
      std::memcpy(to.data() + table(i), &place, sizeof place);
      const Elements block = blocks.block(i);
      libmpi::pack(block, to.subspan(place, block.bytes()));
      place += block.bytes();
    }
    std::memcpy(to.data() + table(n_), &place, sizeof place);
  }

  [[nodiscard]] std::span<const std::byte> block(std::span<const std::byte> parcel, int i) const {
    if (even_) {
      const std::size_t size = parcel.size() / static_cast<std::size_t>(n_);
      return parcel.subspan(static_cast<std::size_t>(i) * size, size);
    }
    std::uint64_t begin = 0, end = 0;
    std::memcpy(&begin, parcel.data() + table(i), sizeof begin);
    std::memcpy(&end, parcel.data() + table(i + 1), sizeof end);
    return parcel.subspan(begin, end - begin);
  }

 private:
  static std::size_t table(int entries) {
    return static_cast<std::size_t>(entries) * sizeof(std::uint64_t);
  }
  [[nodiscard]] Elements whole(const BufferBlocks& blocks) const {
    return {blocks.data, blocks.count * n_, blocks.type.get()};
  }

  bool even_;
  int n_;
};

/// Numbers of the non-empty ones among n blocks, counted from `first`.
std::vector<std::int32_t> not_empty(const BufferBlocks& blocks, int first, int n) {
  std::vector<std::int32_t> places;
  for (int i = 0; i < n; ++i)
    if (blocks.block(i).bytes() > 0) places.push_back(first + i);
  return places;
}

// A rank never waits for an empty block. Simulated time does not wait for it either, and a rank
// that waited longer than its messages would hold up the simulator, for which another rank may
// wait.
Arrival wait_for(const std::vector<std::int32_t>& sources, int n,
                 const std::vector<std::int32_t>& destinations = {}) {
  Need need = Need::sources;
  if (sources.empty()) need = Need::nobody;
  if (static_cast<int>(sources.size()) == n) need = Need::everybody;
  if (need != Need::sources) return {.need = need, .destinations = destinations};
  return {.need = need, .sources = sources, .destinations = destinations};
}

class Bcast final : public Role {
 public:
  using Role::Role;
  [[nodiscard]] std::size_t bytes() const override {
    return am_root() ? call_.recv.block(0).bytes() : 0;
  }
  void bring(std::span<std::byte> contribution) const override {
    if (am_root()) pack(call_.recv.block(0), contribution);
  }
  [[nodiscard]] Arrival arrival() const override {
    if (!takes()) return {};
    return {.need = Need::one, .who = root()};
  }
  void take(const Visit& visit) const override {
    if (takes()) unpack(visit.contribution(root()), root(), call_.recv.block(0));
  }

 private:
  [[nodiscard]] bool takes() const {
    return !am_root() && root() >= 0 && call_.recv.block(0).bytes() > 0;
  }
};

/// A role that takes blocks from several ranks.
class FromMany : public Role {
 public:
  using Role::Role;
  [[nodiscard]] Arrival arrival() const final {
    return wait_for(sources_, seats_.num_seats, destinations_);
  }
  void take(const Visit& visit) const final {
    for (const std::int32_t seat : sources_) {
      if (seat == seats_.me && stays_in_place()) continue;
      unpack(block(visit.contribution(seat)), seat, call_.recv.block(seat - seats_.peers));
    }
  }

 protected:
  std::vector<std::int32_t> sources_, destinations_;

 private:
  /// Is the block of this rank for itself already in place?
  [[nodiscard]] virtual bool stays_in_place() const { return call_.send.in_place; }
  /// The part of a contribution that is for this rank.
  [[nodiscard]] virtual std::span<const std::byte>
  block(std::span<const std::byte> contribution) const {
    return contribution;
  }
};

class Gather final : public FromMany {
 public:
  explicit Gather(const CollectiveCall& call) : FromMany(call) {
    if (am_root()) sources_ = not_empty(call.recv, seats_.peers, seats_.num_peers);
    if (root() >= 0 && bytes() > 0) destinations_ = {root()};
  }
  [[nodiscard]] std::size_t bytes() const override {
    return brings() ? call_.send.block(0).bytes() : 0;
  }
  void bring(std::span<std::byte> contribution) const override {
    if (brings()) pack(call_.send.block(0), contribution);
  }

 private:
  [[nodiscard]] bool brings() const { return call_.root >= 0 && !call_.send.in_place; }
};

class Scatter final : public Role {
 public:
  using Role::Role;
  [[nodiscard]] std::size_t bytes() const override {
    return am_root() ? parcel(seats_.num_peers).bytes(call_.send) : 0;
  }
  void bring(std::span<std::byte> contribution) const override {
    if (am_root()) parcel(seats_.num_peers).pack(call_.send, contribution);
  }
  [[nodiscard]] Arrival arrival() const override {
    if (am_root() || !takes()) return {};
    return {.need = Need::one, .who = root()};
  }
  void take(const Visit& visit) const override {
    if (!takes()) return;
    const std::span<const std::byte> from = visit.contribution(root());
    unpack(parcel(seats_.num_local).block(from, call_.comm->rank), root(), call_.recv.block(0));
  }

 private:
  [[nodiscard]] Parcel parcel(int n) const { return {call_.kind == Collective::scatter, n}; }
  [[nodiscard]] bool takes() const {
    return call_.root >= 0 && !call_.recv.in_place && call_.recv.block(0).bytes() > 0;
  }
};

class Allgather final : public FromMany {
 public:
  explicit Allgather(const CollectiveCall& call) : FromMany(call) {
    sources_ = not_empty(call.recv, seats_.peers, seats_.num_peers);
    // All ranks of a group know which of them contribute nothing; the other group does not.
    const bool told = call.comm->inter() || static_cast<int>(sources_.size()) < seats_.num_peers;
    if (!told || mine().bytes() == 0) return;
    const int first = call.comm->inter() ? seats_.peers : seats_.local;
    for (int i = 0; i < seats_.num_peers; ++i) destinations_.push_back(first + i);
  }
  [[nodiscard]] std::size_t bytes() const override { return mine().bytes(); }
  void bring(std::span<std::byte> contribution) const override { pack(mine(), contribution); }

 private:
  [[nodiscard]] Elements mine() const {
    return call_.send.in_place ? call_.recv.block(call_.comm->rank) : call_.send.block(0);
  }
};

class Alltoall final : public FromMany {
 public:
  explicit Alltoall(const CollectiveCall& call) : FromMany(call) {
    sources_ = not_empty(call.recv, seats_.peers, seats_.num_peers);
    // In one group every rank waits for all others; between groups, only for the other group.
    if (call.kind != Collective::alltoall || call.comm->inter())
      destinations_ = not_empty(mine(), seats_.peers, seats_.num_peers);
  }
  [[nodiscard]] std::size_t bytes() const override {
    return parcel(seats_.num_peers).bytes(mine());
  }
  void bring(std::span<std::byte> contribution) const override {
    parcel(seats_.num_peers).pack(mine(), contribution);
  }

 private:
  [[nodiscard]] bool stays_in_place() const override { return false; }
  [[nodiscard]] std::span<const std::byte>
  block(std::span<const std::byte> contribution) const override {
    return parcel(seats_.num_local).block(contribution, call_.comm->rank);
  }
  [[nodiscard]] Parcel parcel(int n) const { return {call_.kind == Collective::alltoall, n}; }
  [[nodiscard]] const BufferBlocks& mine() const {
    return call_.send.in_place ? call_.recv : call_.send;
  }
};

}  // namespace

std::unique_ptr<Role> make_role(const CollectiveCall& call) {
  switch (call.kind) {
    case Collective::barrier: return std::make_unique<Barrier>(call);
    case Collective::bcast: return std::make_unique<Bcast>(call);
    case Collective::gather:
    case Collective::gatherv: return std::make_unique<Gather>(call);
    case Collective::scatter:
    case Collective::scatterv: return std::make_unique<Scatter>(call);
    case Collective::allgather:
    case Collective::allgatherv: return std::make_unique<Allgather>(call);
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw: return std::make_unique<Alltoall>(call);
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: return make_neighborhood(call);
    default: return make_reduction(call);
  }
}

}  // namespace odonata::libmpi
