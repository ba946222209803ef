// Info objects.
#include "preload/libmpi/core/environment/info.hpp"

#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/api/strings.hpp"

namespace odonata::libmpi::api {

namespace {

Info& existing(MPI_Info info) {
  const InfoRef found = info_of(info);
  require(found != nullptr, ErrorClass::info, "the info object is MPI_INFO_NULL");
  return *found;
}

std::string key_of(const char* key) {
  require(key != nullptr && *key != '\0', ErrorClass::info_key, "the key is empty");
  std::string text(key);
  require(text.size() < MPI_MAX_INFO_KEY, ErrorClass::info_key, "the key is too long");
  return text;
}

// The value of a key, or null.
const std::string* value_of(MPI_Info info, const char* key) {
  Info& found = existing(info);
  const auto entry = found.find(key_of(key));
  return entry == found.entries.end() ? nullptr : &entry->second;
}

MPI_Info add_info(InfoRef info) { return handles().infos.add(std::move(info)); }

}  // namespace

ODONATA_MPI(int, Info_create, (MPI_Info * info)) {
  return call(Function::Info_create, [&] { out(info) = add_info(std::make_shared<Info>()); });
}

ODONATA_MPI(int, Info_create_env, (int, char*[], MPI_Info* info)) {
  return call(Function::Info_create_env, [&] { out(info) = add_info(std::make_shared<Info>()); });
}

ODONATA_MPI(int, Info_dup, (MPI_Info info, MPI_Info* result)) {
  return call(Function::Info_dup,
              [&] { out(result) = add_info(std::make_shared<Info>(existing(info))); });
}

ODONATA_MPI(int, Info_free, (MPI_Info * info)) {
  return call(Function::Info_free, [&] {
    static_cast<void>(existing(out(info)));
    handles().infos.remove(out(info));
    out(info) = MPI_INFO_NULL;
  });
}

ODONATA_MPI(int, Info_set, (MPI_Info info, const char* key, const char* value)) {
  return call(Function::Info_set, [&] {
    Info& found = existing(info);
    const std::string name = key_of(key);
    require(value != nullptr && *value != '\0', ErrorClass::info_value, "the value is empty");
    require(std::strlen(value) < MPI_MAX_INFO_VAL, ErrorClass::info_value, "the value is too long");
    const auto entry = found.find(name);
    if (entry == found.entries.end())
      found.entries.emplace_back(name, value);
    else
      entry->second = value;
  });
}

ODONATA_MPI(int, Info_delete, (MPI_Info info, const char* key)) {
  return call(Function::Info_delete, [&] {
    Info& found = existing(info);
    const auto entry = found.find(key_of(key));
    require(entry != found.entries.end(), ErrorClass::info_nokey, "the key does not exist");
    found.entries.erase(entry);
  });
}

ODONATA_MPI(int, Info_get, (MPI_Info info, const char* key, int length, char* value, int* flag)) {
  return call(Function::Info_get, [&] {
    const std::string* found = value_of(info, key);
    out(flag) = found != nullptr ? 1 : 0;
    if (found != nullptr) copy_string(*found, value, length + 1);
  });
}

ODONATA_MPI(int, Info_get_string,
            (MPI_Info info, const char* key, int* size, char* value, int* flag)) {
  return call(Function::Info_get_string, [&] {
    const std::string* found = value_of(info, key);
    out(flag) = found != nullptr ? 1 : 0;
    if (found == nullptr) return;
    if (out(size) > 0) copy_string(*found, value, *size);
    out(size) = static_cast<int>(found->size()) + 1;
  });
}

ODONATA_MPI(int, Info_get_valuelen, (MPI_Info info, const char* key, int* length, int* flag)) {
  return call(Function::Info_get_valuelen, [&] {
    const std::string* found = value_of(info, key);
    out(flag) = found != nullptr ? 1 : 0;
    if (found != nullptr) out(length) = static_cast<int>(found->size());
  });
}

ODONATA_MPI(int, Info_get_nkeys, (MPI_Info info, int* count)) {
  return call(Function::Info_get_nkeys,
              [&] { out(count) = static_cast<int>(existing(info).entries.size()); });
}

ODONATA_MPI(int, Info_get_nthkey, (MPI_Info info, int n, char* key)) {
  return call(Function::Info_get_nthkey, [&] {
    const Info& found = existing(info);
    if (n < 0 || n >= std::ssize(found.entries))
      throw Error{ErrorClass::arg, "the info object has " + std::to_string(found.entries.size()) +
                                       " keys, not " + std::to_string(n + 1)};
    copy_string(found.entries[n].first, key, MPI_MAX_INFO_KEY);
  });
}

ODONATA_MPI(MPI_Fint, Info_c2f, (MPI_Info info)) { return abi::to_integer(MPI_INFO_NULL, info); }
ODONATA_MPI(MPI_Info, Info_f2c, (MPI_Fint info)) { return abi::from_integer(MPI_INFO_NULL, info); }
ODONATA_MPI(int, Info_toint, (MPI_Info info)) { return abi::to_integer(MPI_INFO_NULL, info); }
ODONATA_MPI(MPI_Info, Info_fromint, (int info)) { return abi::from_integer(MPI_INFO_NULL, info); }

}  // namespace odonata::libmpi::api
