#include "odonata/decide/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

void check_entry(std::size_t entry, std::int32_t ranks, std::int32_t from, std::int32_t to,
                 double bytes) {
  const std::string where = "matrix: entry " + std::to_string(entry);
  for (const std::int32_t rank : {from, to})
    if (rank < 0 || rank >= ranks)
      throw UserError(where + ": no such rank", rank, "0 to " + std::to_string(ranks - 1));
  if (!std::isfinite(bytes) || bytes < 0)
    throw UserError(where + ": bytes", bytes, "0 or more, and finite");
}

// Sorts a row and adds up entries of one pair.
void merge(std::vector<Partner>& row) {
  std::ranges::stable_sort(row, {}, &Partner::rank);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (kept > 0 && row[kept - 1].rank == row[i].rank)
      row[kept - 1].bytes += row[i].bytes;
    else
      row[kept++] = row[i];
  }
  row.resize(kept);
  row.shrink_to_fit();
}

}  // namespace

CommunicationMatrix::CommunicationMatrix(std::int32_t ranks, const std::vector<std::int32_t>& from,
                                         const std::vector<std::int32_t>& to,
                                         const std::vector<double>& bytes)
    : sent_(ranks), received_(ranks), partners_(ranks) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    check_entry(i, ranks, from[i], to[i], bytes[i]);
    if (from[i] == to[i] || bytes[i] == 0) continue;
    sent_[from[i]].push_back({to[i], bytes[i]});
    received_[to[i]].push_back({from[i], bytes[i]});
    partners_[from[i]].push_back({to[i], bytes[i]});
    partners_[to[i]].push_back({from[i], bytes[i]});
  }
  for (Rows* rows : {&sent_, &received_, &partners_}) std::ranges::for_each(*rows, merge);
}

}  // namespace odonata
