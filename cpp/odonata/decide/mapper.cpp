#include "odonata/decide/mapper.hpp"

#include <numeric>
#include <utility>

#include "odonata/decide/hop_bytes.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

Mapper::Mapper(std::shared_ptr<const Machine> machine, const std::vector<std::int32_t>& node_of,
               CommunicationMatrix matrix)
    : machine_(std::move(machine)),
      matrix_(std::move(matrix)),
      nodes_(*machine_, node_of),
      parts_(*machine_) {
  if (nodes_.slots() != matrix_.ranks())
    throw UserError("matrix: has " + std::to_string(matrix_.ranks()) + " ranks; the job has " +
                    std::to_string(nodes_.slots()) + " slots");
}

double Mapper::hop_bytes(const RankSlots& slots) const {
  check(slots);
  return HopBytes(matrix_, nodes_, slots).cost();
}

double Mapper::max_link_seconds(const RankSlots& slots) const {
  check(slots);
  return MaxLink(matrix_, nodes_, parts_, slots).cost();
}

std::vector<double> Mapper::loads(const RankSlots& slots) const {
  check(slots);
  return MaxLink(matrix_, nodes_, parts_, slots).loads();
}

RankSlots Mapper::improved(const std::string& objective, const RankSlots& slots,
                           const SearchOptions& options) const {
  check(slots);
  const auto search = objective_named(objective, slots);
  improve(*search, matrix_, nodes_, options);
  return search->slots();
}

RankSlots Mapper::best(const std::string& objective) const {
  RankSlots slots(matrix_.ranks());
  std::iota(slots.begin(), slots.end(), 0);
  const auto search = objective_named(objective, slots);
  search_all(*search);
  return search->slots();
}

void Mapper::check(const RankSlots& slots) const {
  std::vector<bool> taken(matrix_.ranks());
  const auto most = static_cast<std::int32_t>(taken.size());
  if (slots.size() != taken.size())
    throw UserError("order: entries", slots.size(), std::to_string(most) + ", one for each rank");
  for (const std::int32_t slot : slots) {
    if (slot < 0 || slot >= most || taken[slot])
      throw UserError("order: not a slot, or listed twice", slot,
                      "0 to " + std::to_string(most - 1) + ", each once");
    taken[slot] = true;
  }
}

std::unique_ptr<Objective> Mapper::objective_named(const std::string& name,
                                                   const RankSlots& slots) const {
  if (name == "hop-bytes") return std::make_unique<HopBytes>(matrix_, nodes_, slots);
  if (name == "max-link") return std::make_unique<MaxLink>(matrix_, nodes_, parts_, slots);
  throw UserError("objective: unknown", name, "hop-bytes, max-link");
}

}  // namespace odonata
