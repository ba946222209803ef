#include "odonata/live/stand_in.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "odonata/units/errors.hpp"

namespace odonata::live {

namespace {

// Names in the model, with room for others: cpp/preload/libmpi/CMakeLists.txt.
constexpr std::size_t most_letters = 1000;

void replace(std::string& contents, char letter, std::string_view name) {
  const std::size_t place = contents.find(std::string(most_letters, letter));
  if (place == std::string::npos || name.size() > most_letters)
    throw UserError("fibers: the name of a library is too long: " + std::string(name));
  contents.replace(place, most_letters,
                   std::string(name) + std::string(most_letters - name.size(), '\0'));
}

}  // namespace

// The file stays open: the dynamic linker takes a file of the same path for the same one.
void load_by_name(const std::string& model, const std::string& name, const std::string& path) {
  static std::set<std::string> loaded;
  if (!loaded.insert(name).second) return;
  std::ifstream file(model, std::ios::binary);
  std::string contents(std::istreambuf_iterator<char>(file), {});
  replace(contents, 'N', name);
  replace(contents, 'L', std::string_view(path).substr(path.rfind('/') + 1));
  const int copy = memfd_create(name.c_str(), MFD_CLOEXEC);
  const std::string place = "/proc/self/fd/" + std::to_string(copy);
  if (copy < 0 ||
      write(copy, contents.data(), contents.size()) != static_cast<ssize_t>(contents.size()) ||
      dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
    throw UserError("fibers: a library cannot be given the name " + name);
}

}  // namespace odonata::live
