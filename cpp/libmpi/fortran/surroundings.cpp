// Functions that differ in Fortran: no arguments of the program, results, lengths of strings.
#include "libmpi/fortran/entry.hpp"

using namespace odonata::libmpi::fortran;

namespace {

// C finds Fortran's constants through these.
void tell_sentinels() {
  MPI_F_STATUS_IGNORE = status_ignore();
  MPI_F_STATUSES_IGNORE = statuses_ignore();
}

}  // namespace

ODONATA_MPI_FORTRAN(void, init, (MPI_Fint * error)) {
  tell_sentinels();
  *error = PMPI_Init(nullptr, nullptr);
}

ODONATA_MPI_FORTRAN(void, init_thread, (MPI_Fint * required, MPI_Fint* provided, MPI_Fint* error)) {
  tell_sentinels();
  *error = PMPI_Init_thread(nullptr, nullptr, *required, provided);
}

ODONATA_MPI_FORTRAN(double, wtime, (void)) { return PMPI_Wtime(); }
ODONATA_MPI_FORTRAN(double, wtick, (void)) { return PMPI_Wtick(); }

ODONATA_MPI_FORTRAN(MPI_Aint, aint_add, (MPI_Aint * base, MPI_Aint* offset)) {
  return *base + *offset;
}
ODONATA_MPI_FORTRAN(MPI_Aint, aint_diff, (MPI_Aint * left, MPI_Aint* right)) {
  return *left - *right;
}

ODONATA_MPI_FORTRAN(void, pcontrol, (MPI_Fint * level)) { PMPI_Pcontrol(*level, 0.0); }

// The program cannot be given the buffer's address.
ODONATA_MPI_FORTRAN(void, buffer_detach, (void*, MPI_Fint* size, MPI_Fint* error)) {
  void* unused = nullptr;
  *error = PMPI_Buffer_detach(&unused, size);
}

ODONATA_MPI_FORTRAN(void, info_get,
                    (MPI_Fint * info, void* key, MPI_Fint* length, void* value, MPI_Fint* flag,
                     MPI_Fint* error, std::size_t key_length, std::size_t value_length)) {
  StringOut text(value, value_length);
  const int at_most = std::min(*length, MPI_MAX_INFO_VAL);
  *error = PMPI_Info_get(from_fortran<MPI_Info>(*info), from_fortran(key, key_length).c_str(),
                         at_most, text.get(), flag);
}

#if MPI_VERSION >= 4
ODONATA_MPI_FORTRAN(void, info_get_string,
                    (MPI_Fint * info, void* key, MPI_Fint* length, void* value, MPI_Fint* flag,
                     MPI_Fint* error, std::size_t key_length, std::size_t value_length)) {
  StringOut text(value, value_length);
  // C counts the null character.
  int with_null = *length > 0 ? std::min(*length, MPI_MAX_INFO_VAL) + 1 : 0;
  *error =
      PMPI_Info_get_string(from_fortran<MPI_Info>(*info), from_fortran(key, key_length).c_str(),
                           &with_null, text.get(), flag);
  if (*flag != 0) *length = with_null - 1;
}
#endif
