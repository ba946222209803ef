// The file of a rank's profile, mapped: the counts are in it whatever becomes of the process.
#pragma once

#include <cstddef>
#include <string>

#include "odonata/profile/tally.hpp"

namespace odonata::libprofile {

/// The command line of this process, with blanks between its words.
void read_program(char* text, std::size_t size);

class RankFile final : public profile::Store {
 public:
  RankFile() = default;
  ~RankFile() override;
  RankFile(const RankFile&) = delete;
  RankFile& operator=(const RankFile&) = delete;

  /// Makes folder/rank-<rank>.odp, and folder/functions if it is not there. False, after a line on
  /// standard error, if that is impossible.
  bool open(const std::string& folder, int rank, int ranks, const char* library);
  [[nodiscard]] profile::Head& head() { return *head_; }

  profile::Cell* take(std::uint64_t capacity) override;
  void publish(std::uint64_t capacity) override;

 private:
  void* map(std::size_t offset, std::size_t bytes) const;
  void fill_head(int rank, int ranks, const char* library);

  int file_ = -1;
  profile::Head* head_ = nullptr;
  std::size_t end_ = 0;  // [B] of the file
  void* table_ = nullptr;
  void* next_table_ = nullptr;
  std::size_t table_bytes_ = 0, next_bytes_ = 0;
};

}  // namespace odonata::libprofile
