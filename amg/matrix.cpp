#include "matrix.hpp"

#include "matrix_market.hpp"
#include "values.hpp"

#include <HYPRE.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace odonata::amg {
namespace {

constexpr std::size_t entries_a_message = 256;
constexpr int tag = 1;
// Times the number of ranks they are still whole numbers.
constexpr std::int64_t most_rows =
    std::min<std::int64_t>(std::numeric_limits<HYPRE_BigInt>::max(), std::int64_t{1} << 42);

// Rows of each rank: points p * rank / ranks and on.
struct Blocks {
  std::int64_t points, functions;
  int ranks;

  std::int64_t first_row(int rank) const { return points * rank / ranks * functions; }
  int owner(std::int64_t row) const {
    return static_cast<int>((ranks * (row / functions + 1) - 1) / points);
  }
};

// Runs an action on rank 0 alone; if it fails there, it fails everywhere.
void on_rank_0(MPI_Comm comm, const std::function<void()>& action) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::string why;
  if (rank == 0) {
    try {
      action();
    } catch (const UsageError& error) {
      why = error.what();
    }
  }
  int bad = !why.empty();
  MPI_Bcast(&bad, 1, MPI_INT, 0, comm);
  if (bad) throw UsageError(why);
}

// Sends entries to the ranks that own them, many at a time; an empty message is the last.
class Distributor {
 public:
  Distributor(const Blocks& blocks, std::vector<Entry>& own, MPI_Comm comm)
      : blocks_(blocks), own_(own), comm_(comm), waiting_(std::size_t(blocks.ranks)) {}

  void add(const Entry& entry) {
    const int owner = blocks_.owner(entry.row);
    if (owner == 0) return own_.push_back(entry);
    std::vector<Entry>& entries = waiting_[std::size_t(owner)];
    entries.push_back(entry);
    if (entries.size() == entries_a_message) send(owner);
  }

  void finish() {
    for (int rank = 1; rank < blocks_.ranks; ++rank) {
      if (!waiting_[std::size_t(rank)].empty()) send(rank);
      send(rank);
    }
  }

 private:
  void send(int rank) {
    std::vector<Entry>& entries = waiting_[std::size_t(rank)];
    MPI_Send(entries.data(), int(entries.size() * sizeof(Entry)), MPI_BYTE, rank, tag, comm_);
    entries.clear();
  }

  const Blocks& blocks_;
  std::vector<Entry>& own_;
  MPI_Comm comm_;
  std::vector<std::vector<Entry>> waiting_;  // by rank
};

void receive(std::vector<Entry>& own, MPI_Comm comm) {
  std::vector<Entry> part(entries_a_message);
  for (;;) {
    MPI_Status status;
    MPI_Recv(part.data(), int(part.size() * sizeof(Entry)), MPI_BYTE, 0, tag, comm, &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes == 0) return;
    own.insert(own.end(), part.begin(), part.begin() + bytes / int(sizeof(Entry)));
  }
}

void read_all(MatrixMarketReader& reader, Distributor& distributor) {
  try {
    for (Entry entry; reader.next(entry);) {
      distributor.add(entry);
      if (reader.mirror(entry)) distributor.add(entry);
    }
  } catch (const UsageError&) {
    distributor.finish();  // or the others would wait
    throw;
  }
  distributor.finish();
}

// In order, each place once.
void sort_and_add(std::vector<Entry>& entries) {
  const auto place = [](const Entry& e) { return std::pair(e.row, e.column); };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const Entry& a, const Entry& b) { return place(a) < place(b); });
  std::size_t kept = 0;
  for (const Entry& entry : entries) {
    if (kept > 0 && place(entries[kept - 1]) == place(entry))
      entries[kept - 1].value += entry.value;
    else
      entries[kept++] = entry;
  }
  entries.resize(kept);
}

// The first row without an entry on its diagonal, by which smoothers divide.
std::optional<std::int64_t> without_diagonal(const std::vector<Entry>& entries, std::int64_t first,
                                             std::int64_t end) {
  for (const Entry& entry : entries) {
    if (entry.row > first) return first;
    first += entry.row == entry.column && entry.value != 0;
  }
  return first < end ? std::optional(first) : std::nullopt;
}

void check_diagonal(const std::string& path, std::optional<std::int64_t> missing, MPI_Comm comm) {
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = missing.value_or(none);
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, comm);
  if (first != none)
    throw UsageError(path + ": row " + std::to_string(first + 1) +
                     " has nothing on its diagonal, by which smoothers divide");
}

HYPRE_IJMatrix assemble(const std::vector<Entry>& entries, HYPRE_BigInt first, HYPRE_BigInt end,
                        MPI_Comm comm) {
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_IJMatrixCreate(comm, first, end - 1, first, end - 1, &matrix);
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  std::vector<HYPRE_Int> sizes(std::size_t(end - first));
  for (const Entry& entry : entries) ++sizes[std::size_t(entry.row - first)];
  HYPRE_IJMatrixSetRowSizes(matrix, sizes.data());
  HYPRE_IJMatrixInitialize(matrix);
  std::vector<HYPRE_BigInt> columns;
  std::vector<HYPRE_Complex> values;
  std::size_t next = 0;
  for (HYPRE_BigInt row = first; row < end; ++row) {
    HYPRE_Int size = sizes[std::size_t(row - first)];
    columns.clear(), values.clear();
    for (HYPRE_Int i = 0; i < size; ++i, ++next) {
      columns.push_back(HYPRE_BigInt(entries[next].column));
      values.push_back(entries[next].value);
    }
    HYPRE_IJMatrixSetValues(matrix, 1, &size, &row, columns.data(), values.data());
  }
  HYPRE_IJMatrixAssemble(matrix);
  return matrix;
}

}  // namespace

HYPRE_IJMatrix read_matrix(const std::string& path, int functions, MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::optional<MatrixMarketReader> reader;
  std::int64_t rows = 0;
  on_rank_0(comm, [&] {
    reader.emplace(path, most_rows);
    rows = reader->rows();
    if (rows % functions)
      throw UsageError("--functions: not a divisor of the " + std::to_string(rows) + " rows of " +
                       path + ": " + std::to_string(functions));
    if (rows / functions < ranks)
      throw UsageError(path + ": more ranks than points: " + std::to_string(ranks) +
                       "; allowed: 1 to " + std::to_string(rows / functions));
  });
  MPI_Bcast(&rows, 1, MPI_INT64_T, 0, comm);
  const Blocks blocks{rows / functions, functions, ranks};
  std::vector<Entry> own;
  if (rank != 0) receive(own, comm);
  on_rank_0(comm, [&] {
    Distributor distributor(blocks, own, comm);
    read_all(*reader, distributor);
  });
  sort_and_add(own);
  const std::int64_t first = blocks.first_row(rank), end = blocks.first_row(rank + 1);
  check_diagonal(path, without_diagonal(own, first, end), comm);
  return assemble(own, HYPRE_BigInt(first), HYPRE_BigInt(end), comm);
}

}  // namespace odonata::amg
