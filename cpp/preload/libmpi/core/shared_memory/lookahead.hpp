// The lookahead that the simulator gives a rank: until some time nothing happens to the rank but
// its own calls. Until then a test or probe that found nothing finds nothing again, and the rank
// knows its own time, so it answers such calls itself as the simulator would. A rank that has no
// request open knows its own time until it communicates again, whatever happens to it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "odonata/live/layout.hpp"
#include "odonata/trace/call.hpp"

namespace odonata::libmpi {

class Lookahead {
 public:
  explicit Lookahead(const live::Header& header)
      : poll_(header.poll),
        look_(header.wait_per_request),
        scale_(header.compute_scale),
        used_(header.lookahead != 0) {}

  /// Takes account of a call without answer, after a processor time [ns].
  void note(const trace::Call& call, std::int64_t compute);
  /// The answer to a call after a processor time [ns], if the rank knows it.
  [[nodiscard]] std::optional<trace::Answer>
  answer(const trace::Call& call, std::span<const std::uint64_t> words, std::int64_t compute);
  /// Takes the lookahead that comes with an answer of the simulator.
  void take(const trace::Call& call, std::span<const std::uint64_t> words,
            const trace::Answer& answer);

 private:
  // The test or probe that found nothing.
  struct Vain {
    trace::Call call;
    std::vector<std::uint64_t> words;
    Time cost;  // [ps]
    [[nodiscard]] bool same(const trace::Call& other,
                            std::span<const std::uint64_t> other_words) const;
  };

  [[nodiscard]] Time after(std::int64_t compute) const;
  [[nodiscard]] const Vain* in_vain(const trace::Call& call,
                                    std::span<const std::uint64_t> words) const;
  [[nodiscard]] Time cost_of(const trace::Call& call, std::span<const std::uint64_t> words) const;
  void end();

  Time poll_, look_;  // [ps]
  double scale_;
  bool used_;
  Time now_ = 0;  // [ps] of the rank, while the lookahead lasts
  Time quiet_until_ = 0;  // [ps]
  bool undisturbed_ = false;  // only the rank's computing takes time
  std::uint32_t touches_ = 0;
  std::vector<Vain> in_vain_;  // since anything happened to the rank
  std::size_t next_ = 0;  // that gives way to a new one, when there are many
};

}  // namespace odonata::libmpi
