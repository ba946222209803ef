#include "amg/redistribute/machine_file.hpp"

#include "amg/values.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace odonata::amg {
namespace {

constexpr std::size_t longest_line = 1 << 16;
constexpr double aries_hops = 5;      // D = 7 and h_m = 2
constexpr double dragonfly_hops = 3;  // local, global, local

constexpr Unit decimal_sizes[] = {{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r");
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

class Reader {
 public:
  Reader(const std::string& name, odonata_amg_model& model) : name_(name), model_(model) {}

  void read(std::istream& in) {
    for (std::string line; std::getline(in, line);) {
      ++line_;
      if (line.size() > longest_line) refuse("longer than a line of a machine file");
      read_line(trimmed(line));
    }
    if (in.bad()) throw UsageError(name_ + ": can't be read");
  }

  void check() const {
    const auto need = [&](bool there, const char* key) {
      if (!there) throw UsageError(name_ + ": " + key + " is missing; odonata measure finds it");
    };
    need(seen_alpha_ || model_.alpha > 0, "model.alpha");
    need(seen_beta_ || model_.beta > 0, "model.beta");
    need(seen_gamma_ || model_.gamma > 0 || model_.hops == 0, "model.gamma");
  }

 private:
  void read_line(std::string_view line) {
    if (line.empty() || line[0] == '#') return;
    if (line[0] == '[') {
      section_ = trimmed(line.substr(1, line.find(']') - 1));
      return;
    }
    const std::size_t equals = line.find('=');
    if (equals == line.npos) return;
    key_ = section_ + (section_.empty() ? "" : ".") + std::string(trimmed(line.substr(0, equals)));
    const std::vector<std::string_view> given = quoted(value_of(trimmed(line.substr(equals + 1))));
    if (given.empty()) return;
    if (key_ == "family") take_family(given[0]);
    if (key_ == "model.alpha") model_.alpha = one(given, time_units), seen_alpha_ = true;
    if (key_ == "model.beta") model_.beta = one(given, time_units), seen_beta_ = true;
    if (key_ == "model.gamma") model_.gamma = one(given, time_units), seen_gamma_ = true;
    if (key_ == "model.t") take_flops(given);
    if (key_ == "node.cache") model_.cache_bytes = one(given, size_units);
  }

  // The text behind `value =` in an inline table, else the whole text.
  static std::string_view value_of(std::string_view text) {
    if (!text.starts_with('{')) return text;
    const std::size_t value = text.find("value");
    if (value == text.npos) return {};
    text = trimmed(text.substr(text.find('=', value) + 1));
    return text.starts_with('[') ? text.substr(0, text.find(']')) : text.substr(0, text.find(','));
  }

  static std::vector<std::string_view> quoted(std::string_view text) {
    std::vector<std::string_view> found;
    for (std::size_t at = text.find('"'); at != text.npos; at = text.find('"', at + 1)) {
      const std::size_t end = text.find('"', at + 1);
      if (end == text.npos) break;
      found.push_back(text.substr(at + 1, end - at - 1));
      at = end;
    }
    return found;
  }

  // A blank may stand before the unit.
  double one(const std::vector<std::string_view>& given, std::span<const Unit> units) const {
    std::string text(given[0]);
    const std::size_t blank = text.find(' ');
    if (blank != text.npos) text.erase(blank, text.find_first_not_of(' ', blank) - blank);
    std::optional<double> value = quantity(text, units);
    if (!value && units.data() == size_units) value = quantity(text, decimal_sizes);
    if (value) return *value;
    refuse("not a quantity with its unit: " + std::string(given[0]));
  }

  void take_flops(const std::vector<std::string_view>& given) {
    model_.num_flop_seconds = int(std::min<std::size_t>(given.size(), ODONATA_AMG_MOST_FLOPS));
    for (int i = 0; i < model_.num_flop_seconds; ++i)
      model_.flop_seconds[i] = one({given[std::size_t(i)]}, time_units);
  }

  void take_family(std::string_view family) {
    if (family == "aries") model_.hops = aries_hops;
    if (family == "dragonfly") model_.hops = dragonfly_hops;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError(name_ + ":" + std::to_string(line_) + ":" + key_ + ": " + what);
  }

  const std::string& name_;
  odonata_amg_model& model_;
  std::string section_, key_;
  int line_ = 0;
  bool seen_alpha_ = false, seen_beta_ = false, seen_gamma_ = false;
};

}  // namespace

void read_machine(std::istream& in, const std::string& name, odonata_amg_model& model) {
  Reader reader(name, model);
  reader.read(in);
  reader.check();
}

}  // namespace odonata::amg
