// hypre's parallel vectors.
#pragma once

#include <memory>

#include <_hypre_parcsr_mv.h>

namespace odonata::amg {

struct DestroyVector {
  void operator()(hypre_ParVector* vector) const { hypre_ParVectorDestroy(vector); }
};
using Vector = std::unique_ptr<hypre_ParVector, DestroyVector>;

// A vector with the rows of A, all of them 0.
inline Vector vector_like(hypre_ParCSRMatrix* A) {
  hypre_ParVector* vector =
      hypre_ParVectorCreate(hypre_ParCSRMatrixComm(A), hypre_ParCSRMatrixGlobalNumRows(A),
                            hypre_ParCSRMatrixRowStarts(A));
  hypre_ParVectorInitialize(vector);
  return Vector(vector);
}

// hypre keeps in mind which vectors are zero, from 2.31 on.
inline void was_written([[maybe_unused]] hypre_ParVector* vector) {
#ifdef hypre_ParVectorAllZeros
  hypre_ParVectorAllZeros(vector) = 0;
#endif
}

}  // namespace odonata::amg
