// Groups.
#include "preload/libmpi/api/communicators/group.hpp"

#include <algorithm>
#include <unordered_set>

namespace odonata::libmpi::api {

int compare(const Group& a, const Group& b) {
  if (a.members == b.members) return MPI_IDENT;
  if (a.size() != b.size()) return MPI_UNEQUAL;
  const bool same = std::ranges::all_of(a.members, [&](auto rank) { return b.rank_of(rank) >= 0; });
  return same ? MPI_SIMILAR : MPI_UNEQUAL;
}

namespace {

MPI_Group add_group(std::vector<std::int32_t> members) {
  if (members.empty()) return MPI_GROUP_EMPTY;
  auto group = std::make_shared<Group>();
  group->members = std::move(members);
  return handles().groups.add(std::move(group));
}

// Members of one group that are in another (`in`), or that are not.
std::vector<std::int32_t> members_in(const Group& group, const Group& other, bool in) {
  std::vector<std::int32_t> members;
  std::ranges::copy_if(group.members, std::back_inserter(members),
                       [&](auto rank) { return (other.rank_of(rank) >= 0) == in; });
  return members;
}

// Checks that every rank is in the group and none is listed twice.
std::vector<int> checked(const Group& group, std::vector<int> ranks) {
  std::unordered_set<int> seen;
  for (const int rank : ranks) {
    if (rank < 0 || rank >= group.size())
      throw Error{ErrorClass::rank, "rank " + std::to_string(rank) + " of a group of " +
                                        std::to_string(group.size())};
    if (!seen.insert(rank).second)
      throw Error{ErrorClass::rank, "rank " + std::to_string(rank) + " is given twice"};
  }
  return ranks;
}

std::vector<int> listed(int n, const int ranks[]) {
  require(n >= 0, ErrorClass::arg, "the number of ranks is negative");
  return {array(ranks, n), ranks + n};
}

// Ranks from the first to the last, by a stride.
std::vector<int> expanded(int n, int ranges[][3]) {
  require(n >= 0, ErrorClass::arg, "the number of ranges is negative");
  std::vector<int> ranks;
  static_cast<void>(array(ranges, n));
  for (int i = 0; i < n; ++i) {
    const auto [first, last, stride] = ranges[i];
    require(stride != 0, ErrorClass::arg, "a range has a stride of 0");
    require((last - first) / stride >= 0, ErrorClass::arg, "a range has no end");
    for (int k = 0; k <= (last - first) / stride; ++k) ranks.push_back(first + k * stride);
  }
  return ranks;
}

MPI_Group included(const Group& group, const std::vector<int>& ranks) {
  std::vector<std::int32_t> members;
  for (const int rank : ranks) members.push_back(group.members[rank]);
  return add_group(std::move(members));
}

MPI_Group excluded(const Group& group, const std::vector<int>& ranks) {
  std::vector<bool> out(group.members.size());
  for (const int rank : ranks) out[rank] = true;
  std::vector<std::int32_t> members;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!out[i]) members.push_back(group.members[i]);
  return add_group(std::move(members));
}

}  // namespace

ODONATA_MPI(int, Group_size, (MPI_Group group, int* size)) {
  return call(Function::Group_size, [&] { out(size) = group_of(group)->size(); });
}

ODONATA_MPI(int, Group_rank, (MPI_Group group, int* rank)) {
  return call(Function::Group_rank, [&] {
    const int place = group_of(group)->rank_of(self().endpoint->rank());
    out(rank) = place < 0 ? MPI_UNDEFINED : place;
  });
}

ODONATA_MPI(int, Group_compare, (MPI_Group a, MPI_Group b, int* result)) {
  return call(Function::Group_compare, [&] { out(result) = compare(*group_of(a), *group_of(b)); });
}

ODONATA_MPI(int, Group_translate_ranks,
            (MPI_Group from, int n, const int ranks[], MPI_Group to, int translated[])) {
  return call(Function::Group_translate_ranks, [&] {
    const GroupRef source = group_of(from), target = group_of(to);
    require(n >= 0, ErrorClass::arg, "the number of ranks is negative");
    static_cast<void>(array(ranks, n));
    static_cast<void>(array(translated, n));
    for (int i = 0; i < n; ++i) {
      if (ranks[i] == MPI_PROC_NULL) {
        translated[i] = MPI_PROC_NULL;
        continue;
      }
      if (ranks[i] < 0 || ranks[i] >= source->size())
        throw Error{ErrorClass::rank, "rank " + std::to_string(ranks[i]) + " of a group of " +
                                          std::to_string(source->size())};
      const int place = target->rank_of(source->members[ranks[i]]);
      translated[i] = place < 0 ? MPI_UNDEFINED : place;
    }
  });
}

ODONATA_MPI(int, Group_union, (MPI_Group a, MPI_Group b, MPI_Group* result)) {
  return call(Function::Group_union, [&] {
    const GroupRef first = group_of(a), second = group_of(b);
    std::vector<std::int32_t> members = first->members;
    std::ranges::copy(members_in(*second, *first, false), std::back_inserter(members));
    out(result) = add_group(std::move(members));
  });
}

ODONATA_MPI(int, Group_intersection, (MPI_Group a, MPI_Group b, MPI_Group* result)) {
  return call(Function::Group_intersection,
              [&] { out(result) = add_group(members_in(*group_of(a), *group_of(b), true)); });
}

ODONATA_MPI(int, Group_difference, (MPI_Group a, MPI_Group b, MPI_Group* result)) {
  return call(Function::Group_difference,
              [&] { out(result) = add_group(members_in(*group_of(a), *group_of(b), false)); });
}

ODONATA_MPI(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group* result)) {
  return call(Function::Group_incl, [&] {
    const GroupRef found = group_of(group);
    out(result) = included(*found, checked(*found, listed(n, ranks)));
  });
}

ODONATA_MPI(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group* result)) {
  return call(Function::Group_excl, [&] {
    const GroupRef found = group_of(group);
    out(result) = excluded(*found, checked(*found, listed(n, ranks)));
  });
}

ODONATA_MPI(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group* result)) {
  return call(Function::Group_range_incl, [&] {
    const GroupRef found = group_of(group);
    out(result) = included(*found, checked(*found, expanded(n, ranges)));
  });
}

ODONATA_MPI(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group* result)) {
  return call(Function::Group_range_excl, [&] {
    const GroupRef found = group_of(group);
    out(result) = excluded(*found, checked(*found, expanded(n, ranges)));
  });
}

ODONATA_MPI(int, Group_free, (MPI_Group * group)) {
  return call(Function::Group_free, [&] {
    static_cast<void>(group_of(out(group)));
    handles().groups.remove(out(group));
    out(group) = MPI_GROUP_NULL;
  });
}

ODONATA_MPI(MPI_Fint, Group_c2f, (MPI_Group group)) {
  return abi::to_integer(MPI_GROUP_NULL, group);
}
ODONATA_MPI(MPI_Group, Group_f2c, (MPI_Fint group)) {
  return abi::from_integer(MPI_GROUP_NULL, group);
}
ODONATA_MPI(int, Group_toint, (MPI_Group group)) { return abi::to_integer(MPI_GROUP_NULL, group); }
ODONATA_MPI(MPI_Group, Group_fromint, (int group)) {
  return abi::from_integer(MPI_GROUP_NULL, group);
}

}  // namespace odonata::libmpi::api
