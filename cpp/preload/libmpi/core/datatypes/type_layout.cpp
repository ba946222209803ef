#include "preload/libmpi/core/datatypes/type_layout.hpp"

#include <algorithm>

#include "preload/libmpi/core/datatypes/datatype.hpp"

namespace odonata::libmpi {

namespace {

// Small repetitions are written out: their parts may then join others.
constexpr std::int64_t max_written_out = 16;

/// Appends `next` to `last` if it is one more repetition of it.
bool joins(Run& last, const Run& next) {
  if (last.inner || !next.single() || last.bytes != next.bytes) return false;
  const std::int64_t distance = next.offset - last.offset;
  if (last.count == 1)
    last.stride = distance;
  else if (distance != last.count * last.stride)
    return false;
  ++last.count;
  return true;
}

/// Repeats `run` `count` times, in the same loop if this needs no nesting.
bool repeat(Run& run, std::int64_t count, std::int64_t stride) {
  if (count == 1) return true;
  if (run.single() && run.bytes == stride) {
    run.bytes *= count;
    return true;
  }
  if (run.count != 1 && stride != run.count * run.stride) return false;
  if (run.count == 1) run.stride = stride;
  run.count *= count;
  return true;
}

}  // namespace

void TypeLayout::append(Run run) {
  if (!runs_.empty() && run.single()) {
    Run& last = runs_.back();
    if (last.single() && last.offset + last.bytes == run.offset) {
      last.bytes += run.bytes;
      return;
    }
  }
  runs_.push_back(std::move(run));
}

void TypeLayout::add_run(std::int64_t offset, std::int64_t bytes) {
  if (bytes > 0) append({.offset = offset, .bytes = bytes});
}

void TypeLayout::add(const LayoutRef& other, std::int64_t offset, std::int64_t count,
                     std::int64_t stride) {
  const std::vector<Run>& parts = other->runs_;
  if (parts.empty() || count == 0) return;
  if (parts.size() == 1) {
    Run one = parts.front();
    if (repeat(one, count, stride)) {
      one.offset += offset;
      append(std::move(one));
      return;
    }
  }
  if (count * static_cast<std::int64_t>(parts.size()) > max_written_out) {
    append({.offset = offset, .count = count, .stride = stride, .inner = other});
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    for (Run part : parts) {
      part.offset += offset + i * stride;
      append(std::move(part));
    }
}

void TypeLayout::compress() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (kept > 0 && joins(runs_[kept - 1], runs_[i])) continue;
    if (kept != i) runs_[kept] = std::move(runs_[i]);
    ++kept;
  }
  runs_.resize(kept);
  runs_.shrink_to_fit();
}

namespace {

std::int64_t bytes_of_one(const Signature::Item& item) {
  return item.inner ? item.inner->bytes() : size_of(item.type);
}

std::int64_t elements_of_one(const Signature::Item& item) {
  return item.inner ? item.inner->elements() : 1;
}

}  // namespace

void Signature::add(NamedType type, std::int64_t count) {
  if (count == 0) return;
  bytes_ += count * size_of(type);
  elements_ += count;
  if (!items_.empty() && !items_.back().inner && items_.back().type == type)
    items_.back().count += count;
  else
    items_.push_back({type, count});
}

void Signature::add(const SignatureRef& other, std::int64_t count) {
  if (other->items_.empty() || count == 0) return;
  const Item& first = other->items_.front();
  if (other->items_.size() == 1 && !first.inner) {
    add(first.type, first.count * count);
    return;
  }
  bytes_ += count * other->bytes_;
  elements_ += count * other->elements_;
  if (!items_.empty() && items_.back().inner == other)
    items_.back().count += count;
  else
    items_.push_back({{}, count, other});
}

std::int64_t Signature::elements_in(std::int64_t bytes) const {
  if (bytes_ == 0) return bytes == 0 ? 0 : -1;
  std::int64_t found = bytes / bytes_ * elements_;
  std::int64_t rest = bytes % bytes_;
  for (const Item& item : items_) {
    const std::int64_t one = bytes_of_one(item);
    const std::int64_t whole = std::min(item.count, rest / one);
    found += whole * elements_of_one(item);
    rest -= whole * one;
    if (rest == 0) return found;
    if (whole == item.count) continue;
    const std::int64_t within = item.inner ? item.inner->elements_in(rest) : -1;
    return within < 0 ? -1 : found + within;
  }
  return found;
}

std::int64_t Signature::bytes_of(std::int64_t elements) const {
  if (elements_ == 0) return 0;
  std::int64_t found = elements / elements_ * bytes_;
  std::int64_t rest = elements % elements_;
  for (const Item& item : items_) {
    const std::int64_t one = elements_of_one(item);
    const std::int64_t whole = std::min(item.count, rest / one);
    found += whole * bytes_of_one(item);
    rest -= whole * one;
    if (rest == 0) return found;
    if (whole < item.count) return found + item.inner->bytes_of(rest);
  }
  return found;
}

}  // namespace odonata::libmpi
