// Functions that differ in Fortran: MPI_Init without arguments, functions with results, strings.
#include "preload/libmpi/fortran/entry.hpp"

using namespace odonata::libmpi::fortran;

namespace {

// C finds Fortran's constants through these.
void tell_sentinels() {
  MPI_F_STATUS_IGNORE = status_ignore();
  MPI_F_STATUSES_IGNORE = statuses_ignore();
}

// The length of a string that the program has room for becomes the length that the string has. C
// counts the null character; a length of 0 asks for the length only.
int length_in_c(MPI_Fint room, int most) { return room > 0 ? std::min(room, most) + 1 : 0; }
MPI_Fint length_in_fortran(int length) { return length - 1; }

}  // namespace

ODONATA_MPI_FORTRAN(void, init, (MPI_Fint * error)) {
  tell_sentinels();
  code(error) = PMPI_Init(nullptr, nullptr);
}

ODONATA_MPI_FORTRAN(void, init_thread, (MPI_Fint * required, MPI_Fint* provided, MPI_Fint* error)) {
  if (lacks(Function::Init_thread, error, required)) return;
  tell_sentinels();
  code(error) = PMPI_Init_thread(nullptr, nullptr, *required, provided);
}

#if MPI_VERSION >= 4
ODONATA_MPI_FORTRAN(void, session_init,
                    (MPI_Fint * info, MPI_Fint* handler, MPI_Fint* result, MPI_Fint* error)) {
  if (lacks(Function::Session_init, error, info, handler, result)) return;
  tell_sentinels();
  MPI_Session session = MPI_SESSION_NULL;
  code(error) = PMPI_Session_init(from_fortran<MPI_Info>(*info),
                                  from_fortran<MPI_Errhandler>(*handler), &session);
  *result = to_fortran(session);
}
#endif

ODONATA_MPI_FORTRAN(double, wtime, (void)) { return PMPI_Wtime(); }
ODONATA_MPI_FORTRAN(double, wtick, (void)) { return PMPI_Wtick(); }

ODONATA_MPI_FORTRAN(MPI_Aint, aint_add, (MPI_Aint * base, MPI_Aint* offset)) {
  return *base + *offset;
}
ODONATA_MPI_FORTRAN(MPI_Aint, aint_diff, (MPI_Aint * left, MPI_Aint* right)) {
  return *left - *right;
}

// A call that keeps the compiler from moving accesses to the buffer past it.
ODONATA_MPI_FORTRAN(void, f_sync_reg, (void*)) {}

// The result is an address, whether the program takes it as an integer or as a C_PTR.
ODONATA_MPI_FORTRAN(void, alloc_mem_cptr,
                    (MPI_Aint * bytes, MPI_Fint* info, void* base, MPI_Fint* error)) {
  if (lacks(Function::Alloc_mem, error, bytes, info)) return;
  code(error) = PMPI_Alloc_mem(*bytes, from_fortran<MPI_Info>(*info), base);
}

// The simulated machine has no accelerators.
ODONATA_MPI_FORTRAN(MPI_Fint, query_cuda_support, (void)) { return 0; }
ODONATA_MPI_FORTRAN(MPI_Fint, query_hip_support, (void)) { return 0; }
ODONATA_MPI_FORTRAN(MPI_Fint, query_ze_support, (void)) { return 0; }
ODONATA_MPI_FORTRAN(void, gpu_query_support, (void*, MPI_Fint* supported, MPI_Fint* error)) {
  if (supported != nullptr) *supported = 0;
  code(error) = supported != nullptr ? MPI_SUCCESS : MPI_ERR_ARG;
}

ODONATA_MPI_FORTRAN(void, pcontrol, (MPI_Fint * level)) {
  if (level != nullptr) PMPI_Pcontrol(*level, 0.0);
}

// The buffer's address cannot be returned to a Fortran program.
ODONATA_MPI_FORTRAN(void, buffer_detach, (void*, MPI_Fint* size, MPI_Fint* error)) {
  void* unused = nullptr;
  code(error) = PMPI_Buffer_detach(&unused, size);
}
ODONATA_MPI_FORTRAN(void, comm_detach_buffer,
                    (MPI_Fint * comm, void*, MPI_Fint* size, MPI_Fint* error)) {
  if (lacks(Function::Comm_detach_buffer, error, comm)) return;
  void* unused = nullptr;
  code(error) = PMPI_Comm_detach_buffer(from_fortran<MPI_Comm>(*comm), &unused, size);
}

ODONATA_MPI_FORTRAN(void, info_create_env, (MPI_Fint * result, MPI_Fint* error)) {
  if (lacks(Function::Info_create_env, error, result)) return;
  MPI_Info info = MPI_INFO_NULL;
  code(error) = PMPI_Info_create_env(0, nullptr, &info);
  *result = to_fortran(info);
}

ODONATA_MPI_FORTRAN(void, info_get,
                    (MPI_Fint * info, void* key, MPI_Fint* length, void* value, MPI_Fint* flag,
                     MPI_Fint* error, std::size_t key_length, std::size_t value_length)) {
  if (lacks(Function::Info_get, error, info, text_at(key, key_length), length,
            text_at(value, value_length)))
    return;
  StringOut text(value, value_length);
  const int at_most = std::min(*length, MPI_MAX_INFO_VAL);
  code(error) = PMPI_Info_get(from_fortran<MPI_Info>(*info), from_fortran(key, key_length).c_str(),
                              at_most, text.get(), flag);
}

ODONATA_MPI_FORTRAN(void, info_get_string,
                    (MPI_Fint * info, void* key, MPI_Fint* length, void* value, MPI_Fint* flag,
                     MPI_Fint* error, std::size_t key_length, std::size_t value_length)) {
  if (lacks(Function::Info_get_string, error, info, text_at(key, key_length), length,
            text_at(value, value_length), flag))
    return;
  StringOut text(value, value_length);
  int in_c = length_in_c(*length, MPI_MAX_INFO_VAL);
  code(error) =
      PMPI_Info_get_string(from_fortran<MPI_Info>(*info), from_fortran(key, key_length).c_str(),
                           &in_c, text.get(), flag);
  if (*flag != 0) *length = length_in_fortran(in_c);
}

#if MPI_VERSION >= 4
// Sets of processes are counted from 0, as in C.
ODONATA_MPI_FORTRAN(void, session_get_nth_pset,
                    (MPI_Fint * session, MPI_Fint* info, MPI_Fint* n, MPI_Fint* length, void* name,
                     MPI_Fint* error, std::size_t name_length)) {
  if (lacks(Function::Session_get_nth_pset, error, session, info, n, length,
            text_at(name, name_length)))
    return;
  StringOut text(name, name_length);
  int in_c = length_in_c(*length, MPI_MAX_PSET_NAME_LEN);
  const int done = PMPI_Session_get_nth_pset(from_fortran<MPI_Session>(*session),
                                             from_fortran<MPI_Info>(*info), *n, &in_c, text.get());
  if (done == MPI_SUCCESS) *length = length_in_fortran(in_c);
  code(error) = done;
}
#endif
