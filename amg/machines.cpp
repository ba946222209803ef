#include "machines.hpp"

#include "values.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace odonata::amg {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".toml";

// The file of this program, which may be a shared object in another one. The C library has the name
// of the call, which is no path if the program was found on the PATH.
fs::path own_file() {
  Dl_info found;
  const bool known = dladdr(reinterpret_cast<const void*>(&machine_file), &found) != 0;
  const std::string called = known && found.dli_fname ? found.dli_fname : "";
  std::error_code none;
  return fs::canonical(called.find('/') == std::string::npos ? "/proc/self/exe" : called, none);
}

// Where the installation puts machine files: ../share/odonata/machines, seen from the program.
fs::path shipped_folder() {
  return own_file().parent_path().parent_path() / "share" / "odonata" / "machines";
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(shipped_folder(), none))
    if (file.path().extension() == suffix) names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string machine_file(const std::string& file_or_name) {
  std::error_code none;
  const bool is_path =
      file_or_name.ends_with(suffix) || file_or_name.find('/') != std::string::npos;
  if (is_path || fs::exists(file_or_name, none)) return file_or_name;
  const std::vector<std::string> names = shipped_names();
  if (names.empty())
    throw UsageError("machine: no file, and no machines in " + shipped_folder().string() + ": " +
                     file_or_name);
  if (std::find(names.begin(), names.end(), file_or_name) == names.end()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw UsageError("machine" + unknown(file_or_name, known));
  }
  return shipped_folder() / (file_or_name + std::string(suffix));
}

}  // namespace odonata::amg
