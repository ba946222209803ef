// Caching: keys, and the attributes that programs attach to communicators and datatypes by them.
#include "preload/libmpi/api/communicators/attribute.hpp"

#include <array>
#include <cstdlib>

#include "odonata/live/memory.hpp"

namespace odonata::libmpi::api {

namespace {

using Callback = void (*)();

template <class Function>
Callback callback(Function* function) {
  return reinterpret_cast<Callback>(function);
}

void check(int code) {
  if (code != MPI_SUCCESS) throw ErrorCode{code};
}

// ---- the program's functions

constexpr int is_pointer = 0;  // for proxies of MPICH: the kind of a value

template <class Handle>
int call_copy(Handle handle, const Attribute& from, void** value, int* flag) {
  using Copy = int(Handle, int, void*, void*, void*, int*);
  using Proxy = int(Callback, Handle, int, void*, int, void*, void**, int*);
  const Keyval& keyval = *from.keyval;
  if (keyval.copy_proxy != nullptr)
    return reinterpret_cast<Proxy*>(keyval.copy_proxy)(
        keyval.copy, handle, from.number, keyval.extra_state, is_pointer, from.value, value, flag);
  return reinterpret_cast<Copy*>(keyval.copy)(handle, from.number, keyval.extra_state, from.value,
                                              value, flag);
}

template <class Handle>
int call_remove(Handle handle, const Attribute& attribute) {
  using Remove = int(Handle, int, void*, void*);
  using Proxy = int(Callback, Handle, int, int, void*, void*);
  const Keyval& keyval = *attribute.keyval;
  if (keyval.remove_proxy != nullptr)
    return reinterpret_cast<Proxy*>(keyval.remove_proxy)(
        keyval.remove, handle, attribute.number, is_pointer, attribute.value, keyval.extra_state);
  return reinterpret_cast<Remove*>(keyval.remove)(handle, attribute.number, attribute.value,
                                                  keyval.extra_state);
}

template <class Handle>
bool copy(Handle handle, const Attribute& from, void*& value) {
  value = from.value;
  if (from.keyval->duplicates) return true;
  if (from.keyval->copy == nullptr) return false;
  int flag = 0;
  check(call_copy(handle, from, &value, &flag));
  return flag != 0;
}

template <class Handle>
void remove(Handle handle, const Attribute& attribute) {
  if (attribute.keyval->remove != nullptr) check(call_remove(handle, attribute));
}

// ---- attributes of an object

template <class Handle>
std::shared_ptr<Attributes> copy_all(Handle handle, const std::shared_ptr<Attributes>& from) {
  if (!from) return nullptr;
  auto copies = std::make_shared<Attributes>();
  const std::vector<Attribute> values = from->values;  // the functions may change them
  for (const Attribute& attribute : values) {
    void* value = nullptr;
    if (!copy(handle, attribute, value)) continue;
    Attribute duplicate = attribute;
    duplicate.value = value;
    copies->values.push_back(std::move(duplicate));
  }
  return copies;
}

template <class Handle>
void delete_all(Handle handle, const std::shared_ptr<Attributes>& attributes) {
  while (attributes && !attributes->values.empty()) {
    const Attribute last = attributes->values.back();
    remove(handle, last);
    std::erase_if(attributes->values, [&](const Attribute& a) { return a.number == last.number; });
  }
}

// The key, or null. A freed key stays as long as it has values.
KeyvalRef find_keyval(int number) {
  auto& keyvals = handles().keyvals;
  const auto place = static_cast<std::size_t>(number - Handles::first_keyval);
  if (number < Handles::first_keyval || place >= keyvals.size()) return nullptr;
  if (keyvals[place] && keyvals[place]->freed && keyvals[place].use_count() == 1)
    keyvals[place] = nullptr;
  return keyvals[place];
}

KeyvalRef keyval_of(int number, bool of_types) {
  KeyvalRef found = find_keyval(number);
  require(found && found->of_types == of_types, ErrorClass::keyval,
          "the key was freed or never made");
  return found;
}

template <class Handle>
void set(Handle handle, std::shared_ptr<Attributes>& attributes, int number, KeyvalRef keyval,
         void* value) {
  if (!attributes) attributes = std::make_shared<Attributes>();
  if (Attribute* old = attributes->find(number)) {
    remove(handle, *old);
    if (Attribute* still = attributes->find(number)) {
      still->value = value;
      return;
    }
  }
  attributes->values.push_back({.number = number, .keyval = std::move(keyval), .value = value});
}

template <class Handle>
void erase(Handle handle, const std::shared_ptr<Attributes>& attributes, int number) {
  const Attribute* found = attributes ? attributes->find(number) : nullptr;
  if (found == nullptr) return;
  remove(handle, Attribute(*found));
  std::erase_if(attributes->values, [&](const Attribute& a) { return a.number == number; });
}

bool get(const std::shared_ptr<Attributes>& attributes, int number, void* value) {
  const Attribute* found = attributes ? attributes->find(number) : nullptr;
  if (found != nullptr) out(static_cast<void**>(value)) = found->value;
  return found != nullptr;
}

// Number of this program among the programs of the run.
int program_number() {
  const char* number = std::getenv(live::program_variable);
  return number == nullptr ? 0 : std::atoi(number);
}

// A predefined attribute of communicators, as a pointer to an integer; null for other keys.
int* predefined(int number) {
  static int tag_ub = tag_upper_bound, nobody = MPI_PROC_NULL, yes = 1;
  static int application = program_number();
  static thread_local std::array<int, 2> numbers;
  if (number == MPI_TAG_UB) return &tag_ub;
  if (number == MPI_HOST || number == MPI_IO) return &nobody;
  if (number == MPI_WTIME_IS_GLOBAL) return &yes;
  if (number == MPI_APPNUM) return &application;
  if (number == MPI_UNIVERSE_SIZE) return &(numbers[0] = self().world->size());
  if (number == MPI_LASTUSEDCODE)
    return &(numbers[1] = MPI_ERR_LASTCODE + static_cast<int>(handles().codes.size()));
  return nullptr;
}

// ---- keys

int create(Function function, Keyval keyval, int* number, void* extra_state) {
  return call(function, [&] {
    keyval.extra_state = extra_state;
    auto& keyvals = handles().keyvals;
    out(number) = Handles::first_keyval + static_cast<int>(keyvals.size());
    keyvals.push_back(std::make_shared<Keyval>(keyval));
  });
}

int free(Function function, int* number, bool of_types) {
  return call(function, [&] {
    keyval_of(out(number), of_types)->freed = true;
    out(number) = MPI_KEYVAL_INVALID;
  });
}

template <class Copy, class Remove>
Keyval keyval_with(Copy* copy, Copy* null_copy, Copy* dup, Remove* remove, Remove* null_remove) {
  Keyval keyval;
  keyval.duplicates = copy == dup;
  if (copy != null_copy && copy != dup) keyval.copy = callback(copy);
  if (remove != null_remove) keyval.remove = callback(remove);
  return keyval;
}

int set(Function function, MPI_Comm comm, int number, void* value) {
  return call(function, comm, [&] {
    const CommRef found = comm_of(comm);
    set(comm, found->attributes, number, keyval_of(number, false), value);
  });
}

int get(Function function, MPI_Comm comm, int number, void* value, int* flag) {
  return call(function, comm, [&] {
    const CommRef found = comm_of(comm);
    if (int* integer = predefined(number)) {
      out(static_cast<void**>(value)) = integer;
      out(flag) = 1;
      return;
    }
    out(flag) = get(found->attributes, number, value) ? 1 : 0;
    if (*flag == 0) static_cast<void>(keyval_of(number, false));
  });
}

int erase(Function function, MPI_Comm comm, int number) {
  return call(function, comm, [&] {
    const CommRef found = comm_of(comm);
    static_cast<void>(keyval_of(number, false));
    erase(comm, found->attributes, number);
  });
}

}  // namespace

std::shared_ptr<Attributes> copy_attributes(MPI_Comm handle, const Comm& comm) {
  return copy_all(handle, comm.attributes);
}
std::shared_ptr<Attributes> copy_attributes(MPI_Datatype handle, const TypeObject& type) {
  return copy_all(handle, type.attributes);
}
void call_through(int keyval, Callback copy, Callback remove) {
  const KeyvalRef found = find_keyval(keyval);
  if (!found) return;
  found->copy_proxy = copy;
  found->remove_proxy = remove;
}

void delete_attributes(MPI_Comm handle, Comm& comm) { delete_all(handle, comm.attributes); }
void delete_attributes(MPI_Datatype handle, TypeObject& type) {
  delete_all(handle, type.attributes);
}

// ---- communicators

ODONATA_MPI(int, Comm_create_keyval,
            (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* remove, int* keyval,
             void* extra_state)) {
  return create(
      Function::Comm_create_keyval,
      keyval_with(copy, MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN, remove, MPI_COMM_NULL_DELETE_FN),
      keyval, extra_state);
}
ODONATA_MPI(int, Keyval_create,
            (MPI_Copy_function * copy, MPI_Delete_function* remove, int* keyval,
             void* extra_state)) {
  return create(Function::Keyval_create,
                keyval_with<MPI_Copy_function, MPI_Delete_function>(
                    copy, MPI_NULL_COPY_FN, MPI_DUP_FN, remove, MPI_NULL_DELETE_FN),
                keyval, extra_state);
}
ODONATA_MPI(int, Comm_free_keyval, (int* keyval)) {
  return free(Function::Comm_free_keyval, keyval, false);
}
ODONATA_MPI(int, Keyval_free, (int* keyval)) { return free(Function::Keyval_free, keyval, false); }

ODONATA_MPI(int, Comm_set_attr, (MPI_Comm comm, int keyval, void* value)) {
  return set(Function::Comm_set_attr, comm, keyval, value);
}
ODONATA_MPI(int, Attr_put, (MPI_Comm comm, int keyval, void* value)) {
  return set(Function::Attr_put, comm, keyval, value);
}
ODONATA_MPI(int, Comm_get_attr, (MPI_Comm comm, int keyval, void* value, int* flag)) {
  return get(Function::Comm_get_attr, comm, keyval, value, flag);
}
ODONATA_MPI(int, Attr_get, (MPI_Comm comm, int keyval, void* value, int* flag)) {
  return get(Function::Attr_get, comm, keyval, value, flag);
}
ODONATA_MPI(int, Comm_delete_attr, (MPI_Comm comm, int keyval)) {
  return erase(Function::Comm_delete_attr, comm, keyval);
}
ODONATA_MPI(int, Attr_delete, (MPI_Comm comm, int keyval)) {
  return erase(Function::Attr_delete, comm, keyval);
}

// ---- datatypes

ODONATA_MPI(int, Type_create_keyval,
            (MPI_Type_copy_attr_function * copy, MPI_Type_delete_attr_function* remove, int* keyval,
             void* extra_state)) {
  Keyval made =
      keyval_with(copy, MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN, remove, MPI_TYPE_NULL_DELETE_FN);
  made.of_types = true;
  return create(Function::Type_create_keyval, made, keyval, extra_state);
}
ODONATA_MPI(int, Type_free_keyval, (int* keyval)) {
  return free(Function::Type_free_keyval, keyval, true);
}
ODONATA_MPI(int, Type_set_attr, (MPI_Datatype type, int keyval, void* value)) {
  return call(Function::Type_set_attr, [&] {
    set(type, type_object_of(type).attributes, keyval, keyval_of(keyval, true), value);
  });
}
ODONATA_MPI(int, Type_get_attr, (MPI_Datatype type, int keyval, void* value, int* flag)) {
  return call(Function::Type_get_attr, [&] {
    out(flag) = get(type_object_of(type).attributes, keyval, value) ? 1 : 0;
    if (*flag == 0) static_cast<void>(keyval_of(keyval, true));
  });
}
ODONATA_MPI(int, Type_delete_attr, (MPI_Datatype type, int keyval)) {
  return call(Function::Type_delete_attr, [&] {
    static_cast<void>(keyval_of(keyval, true));
    erase(type, type_object_of(type).attributes, keyval);
  });
}

}  // namespace odonata::libmpi::api
