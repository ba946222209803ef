// Functions of the MPI that the program has found.
#pragma once

#include <atomic>

#include "odonata/trace/functions.hpp"
#include "preload/libprofile/mpi.hpp"

namespace odonata::libprofile {

using trace::Function;

/// PMPI_x behind this library; ends the process if it is missing.
[[nodiscard]] void* find_real(Function function);

/// MPI_COMM_WORLD and its like, which are objects of the program's MPI in Open MPI's ABI.
[[nodiscard]] MPI_Comm comm_world();
[[nodiscard]] MPI_Comm comm_self();
[[nodiscard]] MPI_Comm comm_null();
[[nodiscard]] MPI_Datatype type_null();
[[nodiscard]] MPI_Datatype type_byte();

/// PMPI_x of the program's MPI, which it may open after this library.
template <class Signature>
class Real {
 public:
  constexpr explicit Real(Function function) : function_(function) {}
  [[nodiscard]] Signature* get() {
    Signature* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]] {
      found = reinterpret_cast<Signature*>(find_real(function_));
      found_.store(found, std::memory_order_relaxed);
    }
    return found;
  }

 private:
  Function function_;
  std::atomic<Signature*> found_{nullptr};
};

/// One for each function.
template <Function function, class Signature>
inline constinit Real<Signature> real{function};

/// Calls PMPI_x: ODONATA_REAL(Comm_size)(comm, &size)
#define ODONATA_REAL(name)                                                                         \
  ::odonata::libprofile::real<::odonata::libprofile::Function::name, decltype(PMPI_##name)>.get()

}  // namespace odonata::libprofile
