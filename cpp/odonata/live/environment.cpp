#include "odonata/live/environment.hpp"

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "odonata/live/c_state.hpp"

namespace odonata::live {

namespace {

Environment& here() { return running_state().environment; }

char* get(const char* text) {
  Environment& environment = here();
  const std::string_view name = text;
  if (const auto found = environment.changes.find(name); found != environment.changes.end())
    return found->second ? found->second->data() : nullptr;
  if (environment.cleared) return nullptr;
  for (std::string& given : environment.given) {
    if (!given.starts_with(name)) continue;
    if (given.size() == name.size()) return nullptr;
    if (given[name.size()] == '=') return given.data() + name.size() + 1;
  }
  return getenv(text);
}

bool right(const char* name) {
  const std::string_view text = name == nullptr ? "" : name;
  if (!text.empty() && text.find('=') == std::string_view::npos) return true;
  errno = EINVAL;
  return false;
}

int set(const char* name, const char* value, int overwrite) {
  if (!right(name)) return -1;
  if (overwrite != 0 || get(name) == nullptr) here().changes.insert_or_assign(name, value);
  return 0;
}

int unset(const char* name) {
  if (!right(name)) return -1;
  here().changes.insert_or_assign(name, std::nullopt);
  return 0;
}

int put(char* variable) {
  const std::string_view text = variable;
  const std::size_t end = text.find('=');
  if (end == std::string_view::npos) return unset(variable);
  return set(std::string(text.substr(0, end)).c_str(), variable + end + 1, 1);
}

int clear() {
  here().changes.clear();
  here().cleared = true;
  return 0;
}

}  // namespace

std::vector<Redirection> environment_functions() {
  return {
      {"getenv", reinterpret_cast<void*>(&get)}, {"secure_getenv", reinterpret_cast<void*>(&get)},
      {"setenv", reinterpret_cast<void*>(&set)}, {"unsetenv", reinterpret_cast<void*>(&unset)},
      {"putenv", reinterpret_cast<void*>(&put)}, {"clearenv", reinterpret_cast<void*>(&clear)}};
}

}  // namespace odonata::live
