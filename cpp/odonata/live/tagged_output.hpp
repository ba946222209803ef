// Passes on the output of ranks, each line with the rank before it.
#pragma once

#include <string>
#include <thread>
#include <vector>

namespace odonata::live {

class TaggedOutput {
 public:
  TaggedOutput() = default;
  TaggedOutput(const TaggedOutput&) = delete;
  TaggedOutput& operator=(const TaggedOutput&) = delete;
  ~TaggedOutput();

  /// A pipe whose lines go to the file `target`; returns the end to write to, for the caller to
  /// close. Before start().
  [[nodiscard]] int open(int rank, int target);
  void start();
  /// Waits until the pipes' other ends are closed.
  void finish();

 private:
  struct Stream {
    int pipe;
    int target;
    std::string tag;
    std::string line;  // its beginning, as far as it has come
  };

  void pass_on();
  static bool read(Stream& stream);
  static void print(Stream& stream, bool rest);

  std::vector<Stream> streams_;
  std::thread thread_;
};

}  // namespace odonata::live
