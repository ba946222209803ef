#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::allgatherv {

namespace {

constexpr Bytes chunk = 32 * 1024;  // [B] MPICH's MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE

// Traffic over one link of the ring: blocks downwards from one rank's, chunk by chunk, up to
// the block of the rank that the link leads to.
class Passing {
 public:
  Passing(const Call& call, int ranks, int first, int last)
      : call_(call),
        ranks_(ranks),
        block_(first),
        left_(call.blocks(output, 0, ranks).bytes - call.block(output, last).bytes) {}

  [[nodiscard]] bool over() const { return left_ == 0; }
  // Empty at the place of an empty block.
  [[nodiscard]] Span next() {
    if (over()) return {};
    const Span all = call_.block(output, block_);
    const Span now = all.part(done_, std::min(chunk, all.bytes - done_));
    done_ += now.bytes;
    left_ -= now.bytes;
    if (done_ == all.bytes) {
      done_ = 0;
      block_ = (block_ + ranks_ - 1) % ranks_;
    }
    return now;
  }

 private:
  Call call_;
  int ranks_, block_;
  Bytes done_ = 0;  // [B] of the block
  Bytes left_;      // [B] of all blocks
};

}  // namespace

// MPICH's algorithm from 3.4 on: n-1 steps to the right, each passing on the block received in the
// step before, long blocks in chunks of 32 KiB; nothing for empty blocks.
Task ring(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index(), right = (me + 1) % n, left = (me + n - 1) % n;
  const Span mine = call.block(output, me);
  rank.copy(mine, {input, 0, mine.bytes});
  Passing out(call, n, me, right), in(call, n, left, me);
  while (!out.over() || !in.over()) {
    const Span sent = out.next(), received = in.next();
    if (sent.bytes > 0 && received.bytes > 0)
      co_await rank.sendrecv(right, sent, left, received);
    else if (sent.bytes > 0)
      co_await rank.send(right, sent);
    else if (received.bytes > 0)
      co_await rank.recv(left, received);
  }
}

}  // namespace odonata::allgatherv
