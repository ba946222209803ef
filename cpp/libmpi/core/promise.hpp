// What the simulator has promised a rank: until some time nothing happens to it but what it does
// itself. Until then a test or probe that found nothing finds nothing again, and the rank knows its
// own time; so it answers such calls itself, as the simulator would.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "odonata/live/layout.hpp"
#include "odonata/trace/call.hpp"

namespace odonata::libmpi {

class Promise {
 public:
  explicit Promise(const live::Header& header)
      : poll_(header.poll), scale_(header.compute_scale), used_(header.promises != 0) {}

  /// The rank notes a call that needs no answer, after so much processor time [ns].
  void note(const trace::Call& call, std::int64_t compute);
  /// The answer to a call after so much processor time [ns], where the rank knows it.
  [[nodiscard]] std::optional<trace::Answer>
  foretell(const trace::Call& call, std::span<const std::uint64_t> words, std::int64_t compute);
  /// Takes what an answer of the simulator says of the time to come.
  void take(const trace::Call& call, std::span<const std::uint64_t> words,
            const trace::Answer& answer);

 private:
  // A test or probe that found nothing.
  struct Vain {
    trace::Call call;
    std::vector<std::uint64_t> words;
    [[nodiscard]] bool same(const trace::Call& other,
                            std::span<const std::uint64_t> other_words) const;
  };

  [[nodiscard]] Time after(std::int64_t compute) const;
  [[nodiscard]] bool in_vain(const trace::Call& call, std::span<const std::uint64_t> words) const;
  void end();

  Time poll_;  // [ps]
  double scale_;
  bool used_;
  Time now_ = 0;  // [ps] of the rank, while the promise lasts
  Time quiet_until_ = 0;  // [ps]
  std::uint32_t touches_ = 0;
  trace::Patience patience_;
  std::vector<Vain> in_vain_;  // since anything happened to the rank
  std::size_t next_ = 0;  // that gives way to a new one, when there are many
};

}  // namespace odonata::libmpi
