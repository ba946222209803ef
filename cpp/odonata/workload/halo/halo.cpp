#include "odonata/workload/halo/halo.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

// All ranks' part of a halo exchange; they share it.
struct Halo {
  HaloOptions options;
  ProcessGrid grid;
  std::vector<std::int32_t> rank_at;   // [places]
  std::vector<std::int32_t> place_of;  // [ranks]
};

// A message to a neighbour or from one.
struct FaceMessage {
  int peer = 0;
  int tag = 0;  // direction in which it goes, since two ranks may be neighbours in both
  Span face;
  Time pack = 0;  // [ps] or unpack
};

// Messages of a rank in one repetition, by tag: neighbours send first what is waited for first.
struct Swaps {
  std::vector<FaceMessage> out, in;
};

Swaps swaps_of(const Halo& halo, int rank) {
  Swaps swaps;
  Bytes begin = 0;
  for (std::size_t d = 0; d < halo.grid.dimensions(); ++d)
    for (const bool onward : {false, true}) {
      const std::int32_t place =
          halo.grid.neighbour(halo.place_of[rank], d, onward, halo.options.periodic);
      if (place < 0) continue;
      const int peer = halo.rank_at[place], back = 2 * static_cast<int>(d), forth = back + 1;
      const auto& [bytes, per_byte] = halo.options.faces[d];
      const Time pack = per_byte.of(bytes);
      swaps.out.push_back({peer, onward ? forth : back, {input, begin, bytes}, pack});
      swaps.in.push_back({peer, onward ? back : forth, {output, begin, bytes}, pack});
      begin += bytes;
    }
  std::sort(swaps.in.begin(), swaps.in.end(),
            [](const FaceMessage& a, const FaceMessage& b) { return a.tag < b.tag; });
  return swaps;
}

Task swap_faces(Rank rank, const Swaps* swaps) {
  std::vector<Request> receives, sends;
  for (const FaceMessage& from : swaps->in)
    receives.push_back(rank.irecv(from.peer, from.face, from.tag));
  for (const FaceMessage& to : swaps->out) {
    if (to.pack > 0) co_await rank.compute(to.pack);
    sends.push_back(rank.isend(to.peer, to.face, to.tag));
  }
  std::size_t i = 0;
  for (const FaceMessage& from : swaps->in) {
    co_await rank.wait(receives[i++]);
    if (from.pack > 0) co_await rank.compute(from.pack);
  }
  co_await rank.wait_all(sends);
}

Task swap_repeatedly(Rank rank, std::shared_ptr<const Halo> halo) {
  const Swaps swaps = swaps_of(*halo, rank.index());
  const int repetitions = halo->options.repetitions;
  const std::string& name = halo->options.name;
  for (int i = 0; i < repetitions; ++i) {
    rank.phase(repetitions == 1 ? name : name + " " + std::to_string(i));
    Task once = swap_faces(rank, &swaps);
    co_await once;
  }
}

}  // namespace

std::int64_t messages_of(const ProcessGrid& grid, bool periodic) {
  std::int64_t messages = 0;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    const std::int64_t side = grid.side(d), lines = grid.num_places() / side;
    if (side > 1) messages += 2 * lines * (periodic ? side : side - 1);
  }
  return messages;
}

Program halo(const HaloOptions& options, const Machine& machine,
             const std::vector<std::int32_t>& nodes) {
  if (options.faces.size() != options.sides.size())
    throw InternalError("halo: " + std::to_string(options.faces.size()) + " faces for " +
                        std::to_string(options.sides.size()) + " sides");
  Halo made{options, ProcessGrid(options.sides), {}, std::vector<std::int32_t>(nodes.size())};
  made.rank_at = distribute(options.distribution, made.grid, machine, nodes);
  std::int32_t place = 0;
  for (const std::int32_t rank : made.rank_at) made.place_of[rank] = place++;
  return [shared = std::make_shared<const Halo>(std::move(made))](Rank rank) {
    return swap_repeatedly(std::move(rank), shared);
  };
}

}  // namespace odonata
