// Standard output of fibers: each has its own buffer, so that lines stay whole, and its own
// formats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include "odonata/live/redirect.hpp"
#include "odonata/live/variables.hpp"

namespace odonata::live {

class Streams {
 public:
  explicit Streams(int num_fibers);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// Lets the streams of C++ that a program finds, if it finds any, write to `stdout`, and returns
  /// them: formats are their variables.
  [[nodiscard]] std::vector<Piece> variables(void* program);
  /// Functions that a program calls in the place of the libraries'.
  [[nodiscard]] static std::vector<Redirection> functions();
  /// Makes `stdout` a fiber's.
  void use(int fiber);
  /// Makes it ours again.
  void leave() { stdout = ours_; }
  /// Writes the rest of a fiber's buffer.
  void flush(int fiber);

 private:
  struct Output {
    std::FILE* file = nullptr;
    bool closed = false;
    std::array<char, 1024> buffer;
  };
  struct Kept {
    std::byte* place;
    std::vector<std::byte> contents;
  };

  static std::FILE* open(Output& output);

  std::FILE* ours_;
  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<Kept> kept_;
};

}  // namespace odonata::live
