#include "odonata/trace/runs.hpp"

namespace odonata::trace {

namespace {

constexpr std::size_t words_of_a_run = 3;
constexpr std::size_t few_words = 64;

// Words from the first one that follow each other by `step`.
std::size_t length_of_run(std::span<const std::uint64_t> words, std::uint64_t step) {
  std::size_t length = 1;
  while (length < words.size() && words[length] - words[length - 1] == step) ++length;
  return length;
}

}  // namespace

std::vector<std::uint64_t> runs_of(std::span<const std::uint64_t> words) {
  std::vector<std::uint64_t> runs;
  if (words.size() < few_words) return runs;
  const std::size_t most = words.size() / 4;
  while (!words.empty()) {
    if (runs.size() + words_of_a_run > most) return {};
    const std::uint64_t step = words.size() > 1 ? words[1] - words[0] : 0;
    const std::size_t length = length_of_run(words, step);
    runs.insert(runs.end(), {words[0], step, length});
    words = words.subspan(length);
  }
  return runs;
}

std::optional<std::vector<std::uint64_t>> words_of(std::span<const std::uint64_t> runs,
                                                   std::size_t most) {
  if (runs.size() % words_of_a_run != 0) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t run = 0; run < runs.size(); run += words_of_a_run) {
    if (runs[run + 2] > most - size) return std::nullopt;
    size += runs[run + 2];
  }
  std::vector<std::uint64_t> words;
  words.reserve(size);
  for (; !runs.empty(); runs = runs.subspan(words_of_a_run))
    for (std::uint64_t i = 0; i < runs[2]; ++i) words.push_back(runs[0] + i * runs[1]);
  return words;
}

}  // namespace odonata::trace
