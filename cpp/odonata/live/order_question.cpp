#include "odonata/live/order_question.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "odonata/units/errors.hpp"

namespace odonata::live {

namespace {

// function, size, numbers of members, of dimensions and of edges; then all of these
constexpr std::size_t head_words = 5, edge_words = 3;

void require_valid(bool holds, const char* what) {
  if (!holds) throw InternalError("question for an order of ranks: " + std::string(what));
}

void check(const OrderQuestion& question, int num_ranks) {
  const auto inside = [](std::int32_t number, std::int32_t end) {
    return number >= 0 && number < end;
  };
  require_valid(std::ranges::all_of(question.members,
                                    [&](std::int32_t rank) { return inside(rank, num_ranks); }),
                "a member is not a rank");
  require_valid(question.size >= 0 &&
                    static_cast<std::size_t>(question.size) <= question.members.size(),
                "there are more places than members");
  require_valid(std::ranges::all_of(question.edges,
                                    [&](const Edge& edge) {
                                      return inside(edge.from, question.size) &&
                                             inside(edge.to, question.size) && edge.weight >= 0;
                                    }),
                "an edge leads out of the topology, or has a negative weight");
}

}  // namespace

std::vector<std::int32_t> encode(const OrderQuestion& question) {
  std::vector<std::int32_t> words{question.function, question.size,
                                  static_cast<std::int32_t>(question.members.size()),
                                  static_cast<std::int32_t>(question.grid.size()),
                                  static_cast<std::int32_t>(question.edges.size())};
  words.insert(words.end(), question.members.begin(), question.members.end());
  words.insert(words.end(), question.grid.begin(), question.grid.end());
  for (const Edge& edge : question.edges)
    words.insert(words.end(), {edge.from, edge.to, edge.weight});
  return words;
}

OrderQuestion decode_question(std::span<const std::int32_t> words, int num_ranks) {
  require_valid(words.size() >= head_words, "it is too short");
  std::array<std::size_t, 3> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    require_valid(words[2 + i] >= 0, "a length is negative");
    counts[i] = static_cast<std::size_t>(words[2 + i]);
  }
  require_valid(words.size() == head_words + counts[0] + counts[1] + edge_words * counts[2],
                "its length is not the sum of its parts");
  OrderQuestion question{
      .function = words[0], .size = words[1], .members = {}, .grid = {}, .edges = {}};
  const auto members = words.subspan(head_words, counts[0]);
  const auto grid = words.subspan(head_words + counts[0], counts[1]);
  question.members.assign(members.begin(), members.end());
  question.grid.assign(grid.begin(), grid.end());
  auto edges = words.subspan(head_words + counts[0] + counts[1]);
  for (; !edges.empty(); edges = edges.subspan(edge_words))
    question.edges.push_back({edges[0], edges[1], edges[2]});
  check(question, num_ranks);
  return question;
}

}  // namespace odonata::live
