// Error codes: their classes and texts, and codes that programs add.
#include <algorithm>

#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/api/strings.hpp"

namespace odonata::libmpi::api {

namespace {

constexpr int first_added = MPI_ERR_LASTCODE + 1;

// The class or code that the program added under this number, or null.
AddedCode* added(int code) {
  auto& codes = handles().codes;
  const auto place = static_cast<std::int64_t>(code) - first_added;
  if (place < 0 || place >= std::ssize(codes)) return nullptr;
  AddedCode& found = codes[place];
  return found.removed ? nullptr : &found;
}

int add_code(int error_class) {
  auto& codes = handles().codes;
  const int code = first_added + static_cast<int>(codes.size());
  codes.push_back({.error_class = error_class < 0 ? code : error_class, .what = {}});
  return code;
}

AddedCode& added_by_program(int code) {
  AddedCode* found = added(code);
  require(found != nullptr, ErrorClass::arg, "not an error code that the program added");
  return *found;
}

// A string is removed before its code or class, and all codes before their class.
void remove(int code, bool is_class) {
  AddedCode& found = added_by_program(code);
  require((found.error_class == code) == is_class, ErrorClass::arg,
          is_class ? "an error code, not a class" : "an error class, not a code");
  require(found.what.empty(), ErrorClass::other, "the error string has not been removed");
  const auto uses = [&](const AddedCode& other) {
    return !other.removed && other.error_class == code && &other != &found;
  };
  require(std::ranges::none_of(handles().codes, uses), ErrorClass::other,
          "the error class has codes that have not been removed");
  found.removed = true;
}

bool known(int code) {
  return code == MPI_SUCCESS || code == MPI_ERR_UNKNOWN ||
         error_class(code) != ErrorClass::unknown || added(code) != nullptr;
}

std::string text(int code) {
  if (const AddedCode* found = added(code)) return found->what;
  if (code == MPI_SUCCESS) return "MPI_SUCCESS: no error";
  return std::string(error_name(error_class(code))) + " (error code " + std::to_string(code) + ")";
}

}  // namespace

ODONATA_MPI(int, Error_class, (int code, int* error_class)) {
  return call(Function::Error_class, [&] {
    const AddedCode* found = added(code);
    out(error_class) = found != nullptr ? found->error_class : code;
  });
}

ODONATA_MPI(int, Error_string, (int code, char* string, int* length)) {
  return call(Function::Error_string,
              [&] { out(length) = copy_string(text(code), string, MPI_MAX_ERROR_STRING); });
}

ODONATA_MPI(int, Add_error_class, (int* error_class)) {
  return call(Function::Add_error_class, [&] { out(error_class) = add_code(-1); });
}

ODONATA_MPI(int, Add_error_code, (int error_class, int* code)) {
  return call(Function::Add_error_code, [&] {
    require(known(error_class), ErrorClass::arg, "not an error class");
    out(code) = add_code(error_class);
  });
}

ODONATA_MPI(int, Add_error_string, (int code, const char* string)) {
  return call(Function::Add_error_string, [&] {
    added_by_program(code).what = std::string(text_of(string)).substr(0, MPI_MAX_ERROR_STRING - 1);
  });
}

ODONATA_MPI(int, Remove_error_class, (int error_class)) {
  return call(Function::Remove_error_class, [&] { remove(error_class, true); });
}
ODONATA_MPI(int, Remove_error_code, (int code)) {
  return call(Function::Remove_error_code, [&] { remove(code, false); });
}
ODONATA_MPI(int, Remove_error_string, (int code)) {
  return call(Function::Remove_error_string, [&] { added_by_program(code).what.clear(); });
}

}  // namespace odonata::libmpi::api
