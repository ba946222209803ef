// Communicators and groups.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace odonata::libmpi {

/// An immutable list of ranks of the world.
struct Group {
  std::vector<std::int32_t> members;

  [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
  /// Rank in this group of a rank of the world, -1 if it is not a member.
  [[nodiscard]] int rank_of(std::int32_t world_rank) const;

 private:
  // Places of the members in ascending order of their ranks, filled when first asked: as small as
  // can be, since each of the ranks of a process has its own.
  mutable std::vector<std::int32_t> by_rank_;
};
using GroupRef = std::shared_ptr<const Group>;

struct Topology;     // topology.hpp
struct Attributes;   // attribute.hpp
struct ErrorHandler; // errhandler.hpp
struct Info;         // info.hpp
class BsendBuffer;   // bsend_buffer.hpp

struct Comm {
  GroupRef group;          // local
  GroupRef remote;         // of an intercommunicator, else null
  int rank = 0;            // mine, in the local group
  std::uint32_t number = 0;  // in the records of calls: 0 world, 1 self, then as they are made here
  std::uint64_t identity = 0;  // all members agree on it, no other communicator has it
  std::uint64_t next_collective = 0;  // counts collectives, the same at all members
  std::uint64_t num_made = 0;  // communicators that all members made of it
  std::uint64_t num_persistent = 0;  // collectives that were made, the same at all members
  std::string name;
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<Attributes> attributes;
  std::shared_ptr<ErrorHandler> errhandler;
  std::shared_ptr<Info> info;
  std::shared_ptr<BsendBuffer> bsend;  // attached to it alone
  std::shared_ptr<Comm> partitioned;  // its companion for partitioned messages
  std::shared_ptr<Comm> local;  // of an intercommunicator: its local group, for its collectives

  [[nodiscard]] int size() const { return group->size(); }
  [[nodiscard]] bool inter() const { return remote != nullptr; }
  /// The group that contains destinations, sources and roots.
  [[nodiscard]] const Group& peers() const { return remote ? *remote : *group; }
};
using CommRef = std::shared_ptr<Comm>;

}  // namespace odonata::libmpi
