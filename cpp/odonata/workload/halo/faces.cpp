#include "odonata/workload/halo/faces.hpp"

#include <algorithm>

#include "odonata/units/errors.hpp"

namespace odonata {

Neighbours::Neighbours(const HaloOptions& options, const Machine& machine,
                       const std::vector<std::int32_t>& nodes)
    : options_(options), grid_(options.sides), place_of_(nodes.size()) {
  if (options.faces.size() != options.sides.size())
    throw InternalError("halo: " + std::to_string(options.faces.size()) + " faces for " +
                        std::to_string(options.sides.size()) + " sides");
  rank_at_ = distribute(options.distribution, grid_, machine, nodes);
  std::int32_t place = 0;
  for (const std::int32_t rank : rank_at_) place_of_[rank] = place++;
}

Swaps Neighbours::swaps_of(int rank) const {
  Swaps swaps;
  Bytes begin = 0;
  for (std::size_t d = 0; d < grid_.dimensions(); ++d)
    for (const bool onward : {false, true}) {
      const std::int32_t place = grid_.neighbour(place_of_[rank], d, onward, options_.periodic);
      if (place < 0) continue;
      const int peer = rank_at_[place], back = 2 * static_cast<int>(d), forth = back + 1;
      const auto& [bytes, per_byte] = options_.faces[d];
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

}  // namespace odonata
