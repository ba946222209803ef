// Traffic of algorithms: formulas of the number of ranks n and of the block of b bytes.
#pragma once

#include <cstdint>

#include "odonata/units/units.hpp"

namespace odonata {

/// Numbers of messages or bytes of all ranks: of a run that is refused they may need over 64 bits.
__extension__ using Total = __int128;

/// Traffic of all ranks of one run together.
struct Sent {
  static constexpr Total unknown = -1;

  Total messages = 0;
  Total bytes = unknown;  // [B] unknown: it depends on more than the formula is given
  Total about = unknown;  // [B] then: an estimate
};

}  // namespace odonata

namespace odonata::sent {

using Formula = Sent(int ranks, Total block, int root);

Formula one_each;         // every rank sends its block to one other
Formula both_neighbours;  // every rank sends its block to both neighbours
Formula there_and_back;   // a block each way between the two ranks of a pair
Formula others;           // a block to, or from, each rank but the root
Formula relayed;          // one message a rank but the root, with the blocks of others too
Formula relayed_binomially;  // the same in a binomial tree
Formula pairs;            // every rank's block to every other rank
Formula chunks;           // the same in chunks of 32 KiB
Formula ring_of_chunks;   // 2 (n-1) steps of all ranks, each of an n-th of the block
Formula neighbours;       // n/2 steps of two blocks of all ranks; for odd counts a ring
Formula scatter_allgather;  // a binomial scatter of n-ths, then a ring of them

Formula steps_of_pairs;    // ceil(log2 n) steps of all ranks, in all every block to every rank
Formula steps_of_packed;   // ceil(log2 n) steps of all ranks, with blocks that travel on
Formula steps_of_nothing;  // ceil(log2 n) steps of all ranks without data

Formula doubling;             // exchanges of subtrees that grow, where a subtree has a sibling
Formula exchanges;            // ceil(log2 n) exchanges of the block where there is a partner
Formula folded_whole;         // exchanges of the block by the largest power of two of ranks
Formula folded_halves;        // halving by these, then doubling
Formula halved;               // halving by these of n blocks
Formula halved_and_gathered;  // halving by these, then a tree to the root

// Bine trees; other counts than powers of two as the algorithms that take their place.
Formula bine_steps;       // log2 n steps of all ranks, in all every block to every rank
Formula bine_sent;        // the same, after a step of blocks that are not at their ranks' places
Formula bine_stretches;   // the same without it, in two messages where a ring ends
Formula bine_gathered;    // up a tree, in two messages where a ring ends
Formula bine_scattered;   // scatter and allgather of n-ths of the block
Formula bine_reduced_and_gathered;  // halving of n-ths of the block, then a tree to the root

Formula outside_subtrees;   // exchanges of the blocks outside the own subtree
Formula halved_and_swapped;  // halving of n blocks, after which ranks swap them

Formula there_and_back_again;   // a block from each rank but rank 0, and back
Formula reduced_and_scattered;  // all blocks from each rank but rank 0, then its own one back
Formula scatter_doubling;  // a binomial scatter of n-ths, then exchanges of growing subtrees

/// Formulas of the value of the algorithm's parameter, too.
using TunedFormula = Sent(int ranks, Total block, int root, std::int64_t value);

TunedFormula radix_steps;  // ceil(log_k n) steps of up to k-1 messages, every block to every rank
TunedFormula folded_segments;  // halving of the block in segments, then doubling

TunedFormula others_in_segments;  // a block to, or from, each rank but the root, in segments
TunedFormula in_order;  // the same, and a block to the root unless it is the last rank
TunedFormula halves_in_segments;  // one half in segments, the other one in one message
TunedFormula asked_for;  // a question and two parts of a block for each rank but the root
TunedFormula ring_of_segments;  // 2 (n-1) steps of n-ths of the block, the first n-1 in phases

/// Nothing where the block is empty, else the formula's result.
template <Formula formula>
Sent unless_empty(int ranks, Total block, int root) {
  return block > 0 ? formula(ranks, block, root) : Sent{0, 0};
}

}  // namespace odonata::sent
