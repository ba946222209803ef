#include "odonata/engine/network.hpp"

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

constexpr Bytes most_congestion_bytes = 1 << 30;  // credits are counted by 32 bits

}  // namespace

std::string text_of(const Transfer& transfer) {
  return "message of " + std::to_string(transfer.bytes) + " B from port " +
         std::to_string(transfer.from_port) + " to port " + std::to_string(transfer.to_port);
}

void add_bytes(Bytes& sum, Bytes bytes) {
  if (__builtin_add_overflow(sum, bytes, &sum))
    throw UserError(Fault{"bytes: the messages of the run have more together", {}, "up to 8 EiB"});
}

void check_options(const EngineOptions& options) {
  if (options.packet_bytes < 1)
    throw UserError("packet size [B]: out of range", options.packet_bytes, "1 or more");
  if (options.congestion_bytes < 0 || options.congestion_bytes > most_congestion_bytes)
    throw UserError("congestion window [B]: out of range", options.congestion_bytes,
                    "0 to " + std::to_string(most_congestion_bytes));
  if (options.in_turns && options.congestion_bytes > 0)
    throw UserError("congestion window [B]: with destinations in turns", options.congestion_bytes,
                    "0 (no limit)");
  if (options.engine != "analytic" && options.engine != "packet")
    throw UserError("engine: unknown", options.engine, "packet, analytic");
}

}  // namespace odonata
