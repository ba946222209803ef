// Functions of the program that MPI calls: operations, error handlers, and functions of attributes.
#include "preload/libmpi/api/language_bindings/fortran.hpp"

#include "preload/libmpi/fortran/entry.hpp"

using namespace odonata::libmpi::fortran;

ODONATA_MPI_FORTRAN(void, op_create,
                    (MPI_User_function * function, MPI_Fint* commute, MPI_Fint* result,
                     MPI_Fint* error)) {
  if (lacks(Function::Op_create, error, function, commute, result)) return;
  MPI_Op op = MPI_OP_NULL;
  code(error) = odonata_op_create(function, *commute, &op);
  *result = to_fortran(op);
}

#define ODONATA_ERRHANDLER(name, Name)                                                             \
  ODONATA_MPI_FORTRAN(                                                                             \
      void, name,                                                                                  \
      (MPI_Comm_errhandler_function * function, MPI_Fint * result, MPI_Fint * error)) {            \
    if (lacks(Function::Name, error, function, result)) return;                                    \
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;                                                  \
    code(error) = odonata_errhandler_create(function, &handler);                                   \
    *result = to_fortran(handler);                                                                 \
  }
ODONATA_ERRHANDLER(comm_create_errhandler, Comm_create_errhandler)
ODONATA_ERRHANDLER(errhandler_create, Errhandler_create)
#if MPI_VERSION >= 4
ODONATA_ERRHANDLER(session_create_errhandler, Session_create_errhandler)
#endif

// ---- keys. Values are addresses; in MPI-1 they are default integers.

namespace {

template <class Value>
struct Keyval {
  using Copy = void(MPI_Fint* handle, MPI_Fint* keyval, Value* extra, Value* in, Value* out,
                    MPI_Fint* flag, MPI_Fint* error);
  using Delete = void(MPI_Fint* handle, MPI_Fint* keyval, Value* value, Value* extra,
                      MPI_Fint* error);
  Copy* copy;
  Delete* remove;
  Value extra;
};

template <class Value>
Value to_value(void* attribute) {
  return static_cast<Value>(reinterpret_cast<MPI_Aint>(attribute));
}
template <class Value>
void* from_value(Value value) {
  return reinterpret_cast<void*>(static_cast<MPI_Aint>(value));
}

template <class Handle, class Value>
int copy(Handle handle, int number, void* state, void* in, void* out, int* flag) {
  auto* keyval = static_cast<Keyval<Value>*>(state);
  MPI_Fint integer = to_fortran(handle), error = MPI_SUCCESS;
  Value from = to_value<Value>(in), to = from;
  keyval->copy(&integer, &number, &keyval->extra, &from, &to, flag, &error);
  *static_cast<void**>(out) = from_value(to);
  return error;
}

template <class Handle, class Value>
int remove(Handle handle, int number, void* attribute, void* state) {
  auto* keyval = static_cast<Keyval<Value>*>(state);
  MPI_Fint integer = to_fortran(handle), error = MPI_SUCCESS;
  Value value = to_value<Value>(attribute);
  keyval->remove(&integer, &number, &value, &keyval->extra, &error);
  return error;
}

}  // namespace

// The data of a key are kept until the end: values may outlive their key.
#define ODONATA_CREATE_KEYVAL(name, Name, Handle, Value)                                           \
  ODONATA_MPI_FORTRAN(void, name,                                                                  \
                      (Keyval<Value>::Copy * copy_function,                                        \
                       Keyval<Value>::Delete * delete_function, MPI_Fint * keyval, Value * extra,  \
                       MPI_Fint * error)) {                                                        \
    if (lacks(Function::Name, error, copy_function, delete_function, keyval, extra)) return;       \
    auto* state = new Keyval<Value>{copy_function, delete_function, *extra};                       \
    code(error) = PMPI_##Name(copy<Handle, Value>, remove<Handle, Value>, keyval, state);          \
  }
ODONATA_CREATE_KEYVAL(comm_create_keyval, Comm_create_keyval, MPI_Comm, MPI_Aint)
ODONATA_CREATE_KEYVAL(type_create_keyval, Type_create_keyval, MPI_Datatype, MPI_Aint)
ODONATA_CREATE_KEYVAL(keyval_create, Comm_create_keyval, MPI_Comm, MPI_Fint)

// ---- attributes

namespace {

// Keys of MPI itself: for C their values are addresses of integers.
#ifdef ODONATA_ABI_OPENMPI
bool predefined(int keyval) { return keyval >= 0 && keyval <= MPI_WIN_MODEL; }
int keyval_in_c(int keyval) { return keyval; }
#else
// Keys in Fortran differ from those in C by 1.
bool predefined(int keyval) { return keyval > MPI_TAG_UB && keyval <= MPI_WIN_MODEL + 1; }
int keyval_in_c(int keyval) { return predefined(keyval) ? keyval - 1 : keyval; }
#endif

template <class Handle, class Value>
int get(int (*function)(Handle, int, void*, int*), MPI_Fint handle, int keyval, Value* value,
        MPI_Fint* flag) {
  void* attribute = nullptr;
  const int error = function(from_fortran<Handle>(handle), keyval_in_c(keyval), &attribute, flag);
  if (error != MPI_SUCCESS || *flag == 0) return error;
  *value = predefined(keyval) ? *static_cast<int*>(attribute) : to_value<Value>(attribute);
  return error;
}

}  // namespace

#define ODONATA_ATTRIBUTES(get_name, Get, set_name, Set, delete_name, Delete, Kind, Handle, Value) \
  ODONATA_MPI_FORTRAN(                                                                             \
      void, get_name,                                                                              \
      (MPI_Fint * handle, MPI_Fint * keyval, Value * value, MPI_Fint * flag, MPI_Fint * error)) {  \
    if (lacks(Function::Get, error, handle, keyval, value, flag)) return;                          \
    code(error) = get<Handle>(PMPI_##Kind##_get_attr, *handle, *keyval, value, flag);              \
  }                                                                                                \
  ODONATA_MPI_FORTRAN(void, set_name,                                                              \
                      (MPI_Fint * handle, MPI_Fint * keyval, Value * value, MPI_Fint * error)) {   \
    if (lacks(Function::Set, error, handle, keyval, value)) return;                                \
    code(error) =                                                                                  \
        PMPI_##Kind##_set_attr(from_fortran<Handle>(*handle), *keyval, from_value(*value));        \
  }                                                                                                \
  ODONATA_MPI_FORTRAN(void, delete_name,                                                           \
                      (MPI_Fint * handle, MPI_Fint * keyval, MPI_Fint * error)) {                  \
    if (lacks(Function::Delete, error, handle, keyval)) return;                                    \
    code(error) = PMPI_##Kind##_delete_attr(from_fortran<Handle>(*handle), *keyval);               \
  }
ODONATA_ATTRIBUTES(comm_get_attr, Comm_get_attr, comm_set_attr, Comm_set_attr, comm_delete_attr,
                   Comm_delete_attr, Comm, MPI_Comm, MPI_Aint)
ODONATA_ATTRIBUTES(type_get_attr, Type_get_attr, type_set_attr, Type_set_attr, type_delete_attr,
                   Type_delete_attr, Type, MPI_Datatype, MPI_Aint)
ODONATA_ATTRIBUTES(attr_get, Attr_get, attr_put, Attr_put, attr_delete, Attr_delete, Comm, MPI_Comm,
                   MPI_Fint)

// MPICH's module mpi_f08 gets and sets attributes by these functions; `kind` marks integers.
#ifndef ODONATA_ABI_OPENMPI
#define ODONATA_MPII(Kind)                                                                         \
  extern "C" __attribute__((visibility("default"))) int MPII_##Kind##_get_attr(                    \
      int handle, int keyval, MPI_Aint* value, int* flag, int /*kind*/) {                          \
    return get<int>(PMPI_##Kind##_get_attr, handle, keyval, value, flag);                          \
  }                                                                                                \
  extern "C" __attribute__((visibility("default"))) int MPII_##Kind##_set_attr(                    \
      int handle, int keyval, void* value, int /*kind*/) {                                         \
    return PMPI_##Kind##_set_attr(handle, keyval, value);                                          \
  }
ODONATA_MPII(Comm)
ODONATA_MPII(Type)
#endif

// ---- predefined functions for keys

#define ODONATA_READY(kind, Value)                                                                 \
  ODONATA_MPI_FORTRAN(                                                                             \
      void, kind##null_copy_fn,                                                                    \
      (MPI_Fint*, MPI_Fint*, Value*, Value*, Value*, MPI_Fint * flag, MPI_Fint * error)) {         \
    *flag = 0;                                                                                     \
    *error = MPI_SUCCESS;                                                                          \
  }                                                                                                \
  ODONATA_MPI_FORTRAN(void, kind##dup_fn,                                                          \
                      (MPI_Fint*, MPI_Fint*, Value*, Value * in, Value * out, MPI_Fint * flag,     \
                       MPI_Fint * error)) {                                                        \
    *out = *in;                                                                                    \
    *flag = 1;                                                                                     \
    *error = MPI_SUCCESS;                                                                          \
  }                                                                                                \
  ODONATA_MPI_FORTRAN(void, kind##null_delete_fn,                                                  \
                      (MPI_Fint*, MPI_Fint*, Value*, Value*, MPI_Fint * error)) {                  \
    *error = MPI_SUCCESS;                                                                          \
  }
ODONATA_READY(, MPI_Fint)
ODONATA_READY(comm_, MPI_Aint)
ODONATA_READY(type_, MPI_Aint)
ODONATA_READY(win_, MPI_Aint)
