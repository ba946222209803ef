// Collectives on the neighbours of a virtual topology.
#include <algorithm>
#include <cstring>

#include "preload/libmpi/core/collectives/role.hpp"
#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/topologies/topology.hpp"

namespace odonata::libmpi {

using trace::Collective;

namespace {

// The neighbours whose blocks are not empty.
std::vector<std::int32_t> with_data(const std::vector<std::int32_t>& ranks,
                                    const BufferBlocks& blocks) {
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != trace::nobody && blocks.block(static_cast<int>(i)).bytes() > 0)
      out.push_back(ranks[i]);
  return out;
}

class Neighborhood : public Role {
 public:
  explicit Neighborhood(const CollectiveCall& call)
      : Role(call),
        sources_(sources(*call.comm)),
        destinations_(destinations(*call.comm)),
        real_sources_(with_data(sources_, call.recv)),
        real_destinations_(with_data(destinations_, call.send)) {}

  [[nodiscard]] Arrival arrival() const override {
    return {.need = Need::sources, .sources = real_sources_, .destinations = real_destinations_};
  }
  void take(const Visit& visit) const override {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const Elements into = call_.recv.block(static_cast<int>(i));
      if (const int from = sources_[i]; from != trace::nobody && into.bytes() > 0)
        unpack(block(visit.contribution(from), i), from, into);
    }
  }

 protected:
  /// The block for entry i of our sources, in the contribution of that source.
  [[nodiscard]] virtual std::span<const std::byte> block(std::span<const std::byte> contribution,
                                                         std::size_t i) const = 0;

  std::vector<std::int32_t> sources_, destinations_;

 private:
  std::vector<std::int32_t> real_sources_, real_destinations_;
};

class NeighborAllgather final : public Neighborhood {
 public:
  using Neighborhood::Neighborhood;
  [[nodiscard]] std::size_t bytes() const override { return call_.send.block(0).bytes(); }
  void bring(std::span<std::byte> contribution) const override {
    pack(call_.send.block(0), contribution);
  }

 protected:
  [[nodiscard]] std::span<const std::byte> block(std::span<const std::byte> contribution,
                                                 std::size_t /*i*/) const override {
    return contribution;
  }
};

/// Position of the block for a neighbour in a contribution.
struct Entry {
  std::int32_t destination;
  std::int32_t place;  // among the receiver's sources, -1 where it is not known
  std::uint64_t begin, end;
};

// A rank may be our neighbour more than once. On a grid, a block that is sent upwards is received
// from below; on a graph, the first block to a rank is the first that it receives from here.
class NeighborAlltoall final : public Neighborhood {
 public:
  explicit NeighborAlltoall(const CollectiveCall& call)
      : Neighborhood(call), grid_(call.comm->topology->kind == Topology::Kind::cartesian) {}

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t total = table_bytes();
    for (std::size_t i = 0; i < destinations_.size(); ++i) total += buffer(i).bytes();
    return total;
  }
  void bring(std::span<std::byte> contribution) const override {
    std::size_t place = table_bytes();
    for (std::size_t i = 0; i < destinations_.size(); ++i) {
      const std::size_t size = buffer(i).bytes();
      const Entry entry{destinations_[i], grid_ ? static_cast<std::int32_t>(i ^ 1) : -1, place,
                        place + size};
      std::memcpy(contribution.data() + i * sizeof entry, &entry, sizeof entry);
      pack(buffer(i), contribution.subspan(place, size));
      place += size;
    }
    const Entry end{trace::nobody, -1, 0, 0};
    std::memcpy(contribution.data() + destinations_.size() * sizeof end, &end, sizeof end);
  }

 protected:
  [[nodiscard]] std::span<const std::byte> block(std::span<const std::byte> contribution,
                                                 std::size_t i) const override {
    auto before =
        grid_ ? 0
              : std::count(sources_.begin(), sources_.begin() + static_cast<int>(i), sources_[i]);
    // The table ends with `nobody` at place -1; a destination beyond the edge of a grid has a
    // place.
    for (std::size_t at = 0;; at += sizeof(Entry)) {
      Entry entry;
      std::memcpy(&entry, contribution.data() + at, sizeof entry);
      if (entry.destination == trace::nobody && entry.place < 0)
        throw Error{ErrorClass::topology, "a source does not have this rank as its destination"};
      if (entry.destination != seats_.me) continue;
      if (grid_ ? entry.place == static_cast<std::int32_t>(i) : before-- == 0)
        return contribution.subspan(entry.begin, entry.end - entry.begin);
    }
  }

 private:
  [[nodiscard]] std::size_t table_bytes() const {
    return (destinations_.size() + 1) * sizeof(Entry);
  }
  [[nodiscard]] Elements buffer(std::size_t i) const {
    if (destinations_[i] == trace::nobody) return {};
    return call_.send.block(static_cast<int>(i));
  }

  bool grid_;
};

}  // namespace

std::unique_ptr<Role> make_neighborhood(const CollectiveCall& call) {
  if (call.kind == Collective::neighbor_allgather) return std::make_unique<NeighborAllgather>(call);
  return std::make_unique<NeighborAlltoall>(call);
}

}  // namespace odonata::libmpi
