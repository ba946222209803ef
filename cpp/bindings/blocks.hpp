// Blocks of calls, between files and sources.
#pragma once

#include <cstring>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "held.hpp"
#include "odonata/trace/builder.hpp"
#include "odonata/trace/recorded.hpp"

using Bytes8 = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Structures as the bytes that numpy gives them fields of.
template <class T>
nb::ndarray<nb::memview, std::uint8_t> to_bytes(const std::vector<T>& from) {
  std::vector<std::uint8_t> bytes(from.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), from.data(), bytes.size());
  return to_array(std::move(bytes));
}

template <class T>
std::vector<T> from_bytes(const nb::handle& given) {
  const auto bytes = nb::cast<Bytes8>(given);
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

inline nb::tuple to_tuple(const odonata::trace::Block& b) {
  return nb::make_tuple(to_bytes(b.ranks), to_bytes(b.calls), to_bytes(b.words), to_bytes(b.found),
                        to_bytes(b.num_outcomes), to_bytes(b.outcomes), to_bytes(b.matches));
}

inline odonata::trace::Block from_tuple(const nb::tuple& t) {
  return {.ranks = from_bytes<std::int32_t>(t[0]),
          .calls = from_bytes<odonata::trace::Call>(t[1]),
          .words = from_bytes<std::uint64_t>(t[2]),
          .found = from_bytes<odonata::trace::Found>(t[3]),
          .num_outcomes = from_bytes<std::uint32_t>(t[4]),
          .outcomes = from_bytes<odonata::trace::Outcome>(t[5]),
          .matches = {}};
}

inline odonata::trace::Recorded::More asking(nb::object function) {
  auto held = std::make_shared<Held>(std::move(function));
  return [held]() -> std::optional<odonata::trace::Block> {
    nb::gil_scoped_acquire gil;
    const nb::object got = held->object();
    if (got.is_none()) return std::nullopt;
    return from_tuple(nb::cast<nb::tuple>(got));
  };
}

inline odonata::trace::BlockBuilder::Sink telling(nb::object function) {
  auto held = std::make_shared<Held>(std::move(function));
  return [held](odonata::trace::Block block) {
    nb::gil_scoped_acquire gil;
    held->object(to_tuple(block));
  };
}
