// Buffers of symbols, which prove a collective algorithm right: they show where every byte of a
// result came from, whatever the timing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "odonata/workload/collective.hpp"

namespace odonata {

/// The call of each rank.
using Calls = std::vector<Call>;  // [ranks]

/// Every byte of every buffer of the ranks 0 .. n-1 of one collective call is a 64-bit symbol:
/// byte o of rank r's input is a hash of (r, o), a combination is the sum (mod 2^64), and unwritten
/// bytes are `poison`.
class SymbolicMemory final : public Memory {
 public:
  static constexpr std::uint64_t poison = 0xbad0bad0bad0bad0;

  /// Contents for a call that is the same on all ranks. Throws UserError for an unknown operation.
  SymbolicMemory(const std::string& operation, int ranks, Call call)
      : SymbolicMemory(operation, Calls(ranks, call)) {}
  /// Contents for each rank's own call.
  SymbolicMemory(const std::string& operation, Calls calls);

  Payload read(std::int32_t rank, const Span& from) override;
  void write(std::int32_t rank, const Span& to, const Payload& payload) override;
  void combine(std::int32_t rank, const Span& to, const Payload& payload) override;

  /// The first error in outputs and inputs after the call, by rank and offset; empty without
  /// errors.
  [[nodiscard]] std::string mistake() const;

 private:
  using Cells = std::vector<std::uint64_t>;

  Cells& cells(std::int32_t rank, const Span& span);

  std::string operation_;
  Calls calls_;
  std::vector<std::array<Cells, num_buffers>> buffers_;  // [ranks]
};

/// The symbol of a byte of a rank's input.
[[nodiscard]] std::uint64_t symbol(int rank, Bytes offset);

/// The input that a rank has in a call, empty where it has none.
[[nodiscard]] std::vector<std::uint64_t> given(const std::string& operation, int rank,
                                               const Calls& calls);

/// The output that a rank must have after a call, empty where it has none.
[[nodiscard]] std::vector<std::uint64_t> expected(const std::string& operation, int rank,
                                                  const Calls& calls);

}  // namespace odonata
