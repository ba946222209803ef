#include "odonata/mpi/acts.hpp"

#include <algorithm>
#include <initializer_list>

namespace odonata {

namespace {

constexpr int log_slots = 16;

// A slot of the table of shapes, by all of the words of one.
std::size_t slot_of(std::initializer_list<std::uint32_t> words) {
  std::uint64_t hash = 0;
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(hash >> (64 - log_slots));
}

}  // namespace

std::uint32_t ActList::number_of(const Shape& shape) {
  if (known_.empty()) known_.resize(std::size_t{1} << log_slots);
  std::uint32_t& known = known_[slot_of(
      {shape.low, shape.high, static_cast<std::uint32_t>(shape.peer),
       static_cast<std::uint32_t>(shape.tag), static_cast<std::uint32_t>(shape.context)})];
  if (known == 0 || shapes_[known - 1] != shape) {
    shapes_.push_back(shape);
    known = static_cast<std::uint32_t>(shapes_.size());
  }
  return known - 1;
}

std::uint32_t ActList::add(const Act& act) {
  const auto value = static_cast<std::uint64_t>(act.value);
  const auto low = static_cast<std::uint32_t>(value),
             high = static_cast<std::uint32_t>(value >> 32);
  const std::uint32_t operand =
      act.kind == Act::Kind::need ? low : number_of({low, high, act.peer, act.tag, act.context});
  heads_.push_back({word_of(act.kind, act.rank), operand});
  return static_cast<std::uint32_t>(heads_.size() - 1);
}

void ActList::settle(std::uint32_t number, std::int32_t source, std::int32_t tag) {
  Shape shape = shapes_[heads_[number].operand];
  if (shape.peer == source && shape.tag == tag) return;
  shape.peer = source;
  shape.tag = tag;
  heads_[number].operand = number_of(shape);
}

Act ActList::operator[](std::uint32_t number) const {
  const Head& head = heads_[number];
  if (head.kind() == Act::Kind::need) return {head.kind(), head.rank(), head.operand};
  const Shape& shape = shapes_[head.operand];
  const auto value = static_cast<std::int64_t>(std::uint64_t{shape.high} << 32 | shape.low);
  return {head.kind(), head.rank(), value, shape.peer, shape.tag, shape.context};
}

std::uint32_t Acts::add(const Act& act) {
  if (!record_) return none;
  if (record_->bytes() >= most_bytes_ || record_->size() >= ActList::most_acts ||
      act.rank >= ActList::most_ranks) {
    record_.reset();
    return none;
  }
  return record_->add(act);
}

void Acts::need(std::uint32_t act) {
  if (has(act)) add({Act::Kind::need, (*record_)[act].rank, act});
}

void Acts::settle(std::uint32_t act, std::int32_t source, std::int32_t tag) {
  if (has(act)) record_->settle(act, source, tag);
}

void Acts::withdraw(std::uint32_t act) {
  if (has(act)) record_->withdraw(act);
}

}  // namespace odonata
