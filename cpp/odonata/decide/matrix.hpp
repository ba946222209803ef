// Communication matrix of a job: who sends how many bytes to whom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace odonata {

/// Another rank, and the bytes that go there, come from there, or both.
struct Partner {
  std::int32_t rank;
  double bytes;
};

/// Bytes from rank to rank. Messages of a rank to itself are left out, and entries of one pair are
/// added up.
class CommunicationMatrix {
 public:
  /// Entry i says that rank from[i] sends bytes[i] to rank to[i]; throws UserError for a rank that
  /// is not there and for bytes that are negative or not finite.
  CommunicationMatrix(std::int32_t ranks, const std::vector<std::int32_t>& from,
                      const std::vector<std::int32_t>& to, const std::vector<double>& bytes);

  [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(sent_.size()); }
  /// Ranks that a rank sends to, in order.
  [[nodiscard]] std::span<const Partner> sent(std::int32_t rank) const { return sent_[rank]; }
  /// Ranks that a rank receives from, in order.
  [[nodiscard]] std::span<const Partner> received(std::int32_t rank) const {
    return received_[rank];
  }
  /// Ranks that a rank sends to or receives from, in order, with the bytes of both directions.
  [[nodiscard]] std::span<const Partner> partners(std::int32_t rank) const {
    return partners_[rank];
  }

 private:
  using Rows = std::vector<std::vector<Partner>>;

  Rows sent_, received_, partners_;  // [ranks]
};

}  // namespace odonata
