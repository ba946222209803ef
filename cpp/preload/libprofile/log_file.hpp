// The log of a rank's calls, mapped piece by piece: written records are in the file whatever
// becomes of the process.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "odonata/trace/rank_log.hpp"

namespace odonata::libprofile {

class LogFile {
 public:
  LogFile() = default;
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// Makes folder/rank-<rank>.odl. False, after a line on standard error, if that is impossible.
  bool open(const std::string& folder, int rank, int ranks);
  [[nodiscard]] trace::LogHead& head() { return *head_; }

  /// Appends a piece of an entry; false if there is no room for it.
  bool put(std::span<const std::byte> bytes);
  /// The pieces that were put are whole entries of as many calls: whoever reads finds them.
  void commit(std::uint64_t calls);
  /// The pieces since then were not whole.
  void give_up(std::uint64_t calls);
  /// Where the next piece goes [B].
  [[nodiscard]] std::uint64_t place() const { return end_; }
  /// Changes bytes that were put.
  void patch(std::uint64_t place, std::span<const std::byte> bytes);
  /// The rank has ended: the file is cut to its used part.
  void close();

 private:
  bool map_window(std::uint64_t place);
  void unmap_window();

  std::string path_;
  int file_ = -1;
  trace::LogHead* head_ = nullptr;
  std::byte* window_ = nullptr;
  std::uint64_t window_start_ = 0;  // [B] in the file
  std::uint64_t end_ = 0;           // [B] of the entries that were put
  bool full_ = false;
};

}  // namespace odonata::libprofile
