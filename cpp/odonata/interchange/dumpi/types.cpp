#include "odonata/interchange/dumpi/types.hpp"

#include <array>

namespace odonata::interchange::dumpi {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 40;  // [B] of a message

// Types that MPI has, by number, from DATATYPE_ERROR on [B]; 0: the type has no data.
constexpr std::array<std::int64_t, 28> built_in = {0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                                   8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

std::int64_t sum_of(std::span<const std::int64_t> numbers) {
  std::int64_t sum = 0;
  for (const std::int64_t number : numbers) sum += number;
  return sum;
}

}  // namespace

void Types::note(const Record& call) {
  Numbers n(call);
  std::int64_t count = 0, length = 0;
  std::span<const std::int64_t> lengths;
  switch (static_cast<Function>(call.function)) {
    case Function::Type_contiguous: count = n.next(); break;
    case Function::Type_vector:
    case Function::Type_hvector:
    case Function::Type_create_hvector:
      count = n.next(), length = n.next(), n.next();
      count = length > 0 && count < largest / length ? count * length : 0;
      break;
    case Function::Type_indexed:
    case Function::Type_hindexed:
    case Function::Type_create_hindexed: n.next(), count = sum_of(n.array()), n.array(); break;
    case Function::Type_create_indexed_block:
      count = n.next(), length = n.next(), n.array();
      count = length > 0 && count < largest / length ? count * length : 0;
      break;
    case Function::Type_dup: count = 1; break;
    case Function::Type_struct:
    case Function::Type_create_struct:
      n.next(), lengths = n.array(), n.array();
      {
        const auto olds = n.array();
        return make_struct(n.next(), lengths, olds);
      }
    case Function::Type_create_resized: {
      const std::int64_t old = n.next();
      n.next(), n.next();
      return make(n.next(), 1, old);
    }
    case Function::Type_size: {
      const std::int64_t type = n.next(), size = n.next();
      if (size > 0) made_[type] = size;
      return;
    }
    default: return;
  }
  const std::int64_t old = n.next();
  make(n.next(), count, old);
}

void Types::make(std::int64_t type, std::int64_t count, std::int64_t old) {
  const std::optional<std::int64_t> element = size(old);
  if (element && count >= 0 && (*element == 0 || count <= largest / *element))
    made_[type] = count * *element;
  else
    made_.erase(type);
}

void Types::make_struct(std::int64_t type, std::span<const std::int64_t> lengths,
                        std::span<const std::int64_t> olds) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < lengths.size() && i < olds.size(); ++i) {
    const std::optional<std::int64_t> element = size(olds[i]);
    if (!element || lengths[i] < 0 || lengths[i] > largest / (*element + 1)) {
      made_.erase(type);
      return;
    }
    sum += lengths[i] * *element;
  }
  made_[type] = sum;
}

std::optional<std::int64_t> Types::size(std::int64_t type) const {
  if (type >= 0 && type < static_cast<std::int64_t>(built_in.size())) {
    const bool listed = type < static_cast<std::int64_t>(listed_.size()) && listed_[type] > 0;
    return listed ? listed_[type] : built_in[type];
  }
  if (const auto made = made_.find(type); made != made_.end()) return made->second;
  if (type >= 0 && type < static_cast<std::int64_t>(listed_.size()) && listed_[type] > 0)
    return listed_[type];
  return std::nullopt;
}

}  // namespace odonata::interchange::dumpi
