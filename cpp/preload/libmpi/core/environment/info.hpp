// Info objects: pairs of strings.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace odonata::libmpi {

/// Entries in the order in which the keys were first set.
struct Info {
  std::vector<std::pair<std::string, std::string>> entries;

  [[nodiscard]] auto find(const std::string& key) {
    return std::ranges::find(entries, key, &std::pair<std::string, std::string>::first);
  }
};
using InfoRef = std::shared_ptr<Info>;

}  // namespace odonata::libmpi
