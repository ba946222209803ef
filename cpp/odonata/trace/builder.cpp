#include "odonata/trace/builder.hpp"

#include <utility>

namespace odonata::trace {

void BlockBuilder::append(int rank, const Record& record, Found found,
                          const std::vector<Outcome>& outcomes) {
  if (block_.words.size() + record.words.size() > most_words ||
      block_.outcomes.size() + outcomes.size() > most_words)
    flush();
  block_.ranks.push_back(rank);
  block_.calls.push_back(record.call);
  block_.calls.back().num_words = static_cast<std::uint32_t>(record.words.size());
  block_.words.insert(block_.words.end(), record.words.begin(), record.words.end());
  block_.found.push_back(found);
  block_.num_outcomes.push_back(static_cast<std::uint32_t>(outcomes.size()));
  block_.outcomes.insert(block_.outcomes.end(), outcomes.begin(), outcomes.end());
  if (block_.size() >= most_records) flush();
}

void BlockBuilder::flush() {
  if (block_.size() > 0) sink_(std::exchange(block_, Block{}));
}

}  // namespace odonata::trace
