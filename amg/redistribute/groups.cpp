#include "amg/redistribute/groups.hpp"

#include "amg/values.hpp"
#include "amg/vectors.hpp"
#include "odonata/model/redistribution.hpp"

#include <HYPRE.h>

#include <limits>
#include <numeric>

namespace odonata::amg {
namespace {

// The rows of a rank, as they are sent.
struct Rows {
  std::vector<HYPRE_Int> sizes;
  std::vector<HYPRE_BigInt> columns;
  std::vector<HYPRE_Complex> values;
};

Rows local_rows(hypre_ParCSRMatrix* A) {
  hypre_CSRMatrix *local = hypre_ParCSRMatrixDiag(A), *other = hypre_ParCSRMatrixOffd(A);
  const HYPRE_BigInt first = hypre_ParCSRMatrixFirstColDiag(A);
  const HYPRE_BigInt* other_columns = hypre_ParCSRMatrixColMapOffd(A);
  Rows rows;
  for (HYPRE_Int i = 0; i < hypre_CSRMatrixNumRows(local); ++i) {
    const std::size_t before = rows.columns.size();
    for (HYPRE_Int k = hypre_CSRMatrixI(local)[i]; k < hypre_CSRMatrixI(local)[i + 1]; ++k) {
      rows.columns.push_back(first + hypre_CSRMatrixJ(local)[k]);
      rows.values.push_back(hypre_CSRMatrixData(local)[k]);
    }
    for (HYPRE_Int k = hypre_CSRMatrixI(other)[i]; k < hypre_CSRMatrixI(other)[i + 1]; ++k) {
      rows.columns.push_back(other_columns[hypre_CSRMatrixJ(other)[k]]);
      rows.values.push_back(hypre_CSRMatrixData(other)[k]);
    }
    rows.sizes.push_back(HYPRE_Int(rows.columns.size() - before));
  }
  return rows;
}

std::vector<int> starts_of(const std::vector<int>& counts) {
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  return starts;
}

// Values of all members of a group, one after the other; empty unless on the owner.
template <class T>
std::vector<T> gathered(const std::vector<T>& part, MPI_Datatype type,
                        const std::vector<int>& counts, MPI_Comm group) {
  std::vector<T> all(std::size_t(std::accumulate(counts.begin(), counts.end(), 0LL)));
  MPI_Gatherv(part.data(), int(part.size()), type, all.data(), counts.data(),
              starts_of(counts).data(), type, 0, group);
  return all;
}

std::vector<int> gathered_count(int count, MPI_Comm group) {
  int rank = 0, size = 1;
  MPI_Comm_rank(group, &rank);
  MPI_Comm_size(group, &size);
  std::vector<int> counts(rank == 0 ? std::size_t(size) : 0);
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, group);
  return counts;
}

HYPRE_IJMatrix assemble(Rows rows, HYPRE_BigInt first, MPI_Comm owners) {
  const HYPRE_BigInt last = first + HYPRE_BigInt(rows.sizes.size()) - 1;
  std::vector<HYPRE_BigInt> numbers(rows.sizes.size());
  std::iota(numbers.begin(), numbers.end(), first);
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_IJMatrixCreate(owners, first, last, first, last, &matrix);
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  HYPRE_IJMatrixSetRowSizes(matrix, rows.sizes.data());
  HYPRE_IJMatrixInitialize(matrix);
  HYPRE_IJMatrixSetValues(matrix, HYPRE_Int(rows.sizes.size()), rows.sizes.data(), numbers.data(),
                          rows.columns.data(), rows.values.data());
  HYPRE_IJMatrixAssemble(matrix);
  return matrix;
}

HYPRE_Complex* data_of(hypre_ParVector* vector) {
  return vector ? hypre_VectorData(hypre_ParVectorLocalVector(vector)) : nullptr;
}

}  // namespace

Groups::Groups(hypre_ParCSRMatrix* A, int groups, int active) {
  const MPI_Comm comm = hypre_ParCSRMatrixComm(A);
  own_rows_ = int(hypre_CSRMatrixNumRows(hypre_ParCSRMatrixDiag(A)));
  const auto split = [](MPI_Comm from, bool with, int colour) {
    MPI_Comm found = MPI_COMM_NULL;
    int rank = 0;
    MPI_Comm_rank(from, &rank);
    MPI_Comm_split(from, with ? colour : MPI_UNDEFINED, rank, &found);
    return Communicator(found);
  };
  const Communicator with_rows = split(comm, own_rows_ > 0, 0);
  bool fits = true;
  if (with_rows) {
    int rank = 0, member = 0;
    MPI_Comm_rank(with_rows.get(), &rank);
    group_ = split(with_rows.get(), true, model::group_of(rank, groups, active));
    MPI_Comm_rank(group_.get(), &member);
    owners_ = split(with_rows.get(), member == 0, 0);
    rows_ = gathered_count(own_rows_, group_.get());
    tree_ = Tree(group_.get(), own_rows_);
    const long long entries = (long long)(hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixDiag(A))) +
                              hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixOffd(A));
    long long all = 0;
    MPI_Reduce(&entries, &all, 1, MPI_LONG_LONG, MPI_SUM, 0, group_.get());
    fits = all <= std::numeric_limits<int>::max();
  }
  int all_fit = fits;
  MPI_Allreduce(MPI_IN_PLACE, &all_fit, 1, MPI_INT, MPI_MIN, comm);
  if (!all_fit)
    throw UsageError("redistribution: a group of ranks has more than 2147483647 entries of the "
                     "operator; allowed: more groups than " +
                     std::to_string(groups));
  if (with_rows) gather_rows(A);
}

Groups::~Groups() {
  if (assembled_) HYPRE_IJMatrixDestroy(assembled_);
}

void Groups::gather_rows(hypre_ParCSRMatrix* A) {
  const MPI_Comm group = group_.get();
  const Rows part = local_rows(A);
  const std::vector<int> entries = gathered_count(int(part.columns.size()), group);
  Rows all{gathered(part.sizes, HYPRE_MPI_INT, rows_, group),
           gathered(part.columns, HYPRE_MPI_BIG_INT, entries, group),
           gathered(part.values, HYPRE_MPI_COMPLEX, entries, group)};
  if (!is_owner()) return;
  assembled_ = assemble(std::move(all), hypre_ParCSRMatrixFirstRowIndex(A), owners_.get());
  HYPRE_IJMatrixGetObject(assembled_, reinterpret_cast<void**>(&gathered_));
}

std::vector<HYPRE_Int> Groups::gather(const std::vector<HYPRE_Int>& of_rows) const {
  if (!group_) return {};
  return gathered(of_rows, HYPRE_MPI_INT, rows_, group_.get());
}

void Groups::gather(hypre_ParVector* part, hypre_ParVector* whole) {
  if (!group_) return;
  tree_.gather(data_of(part), data_of(whole));
  if (whole) was_written(whole);
}

void Groups::scatter(hypre_ParVector* whole, hypre_ParVector* part) {
  if (!group_) return;
  tree_.scatter(data_of(whole), data_of(part));
  was_written(part);
}

}  // namespace odonata::amg
