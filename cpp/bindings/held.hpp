#pragma once

#include <nanobind/nanobind.h>

#include <utility>

/// A Python object that lets go with the interpreter's lock, since a run itself goes without.
struct Held {
  nanobind::object object;

  explicit Held(nanobind::object held) : object(std::move(held)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    nanobind::gil_scoped_acquire gil;
    object.reset();
  }
};
