#include "preload/libprofile/rank_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "odonata/trace/functions.hpp"

namespace odonata::libprofile {

using profile::Cell;
using profile::Head;
using profile::head_bytes;

namespace {

// The longest page of any processor: parts of the file that are mapped begin at multiples of it.
constexpr std::size_t most_page_bytes = 65'536;

bool complain(const std::string& path) {
  std::fprintf(stderr, "odonata profile: %s: %s\n", path.c_str(), std::strerror(errno));
  return false;
}

// Names of functions by number. The first rank to come writes them, under another name until they
// are complete.
bool write_functions(const std::string& folder) {
  const std::string path = folder + "/functions";
  if (access(path.c_str(), F_OK) == 0) return true;
  const std::string part = path + "." + std::to_string(getpid());
  std::FILE* const file = std::fopen(part.c_str(), "w");
  if (file == nullptr) return complain(part);
  for (const std::string_view name : trace::function_names())
    std::fprintf(file, "%.*s\n", static_cast<int>(name.size()), name.data());
  if (std::fclose(file) != 0 || std::rename(part.c_str(), path.c_str()) != 0) return complain(path);
  return true;
}

}  // namespace

void read_program(char* text, std::size_t size) {
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t got = read(file, text, size - 1);
  close(file);
  for (ssize_t i = 0; i + 1 < got; ++i)
    if (text[i] == '\0') text[i] = ' ';
}

RankFile::~RankFile() {
  if (table_ != nullptr) munmap(table_, table_bytes_);
  if (head_ != nullptr) munmap(head_, head_bytes);
  if (file_ >= 0) close(file_);
}

bool RankFile::open(const std::string& folder, int rank, int ranks, const char* library) {
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return complain(folder);
  if (!write_functions(folder)) return false;
  const std::string path = folder + "/rank-" + std::to_string(rank) + ".odp";
  unlink(path.c_str());  // a process that has mapped an older one keeps it
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) return complain(path);
  void* const mapped = map(0, head_bytes);
  if (mapped == nullptr) {
    complain(path);
    unlink(path.c_str());
    return false;
  }
  head_ = static_cast<Head*>(mapped);
  end_ = most_page_bytes;
  fill_head(rank, ranks, library);
  return true;
}

void RankFile::fill_head(int rank, int ranks, const char* library) {
  head_->rank = rank;
  head_->ranks = ranks;
  std::strncpy(head_->library, library, sizeof head_->library - 1);
  gethostname(head_->host, sizeof head_->host - 1);
  read_program(head_->program, sizeof head_->program);
}

// Reserves the place on the disk: a full one is found here and not when something is counted.
void* RankFile::map(std::size_t offset, std::size_t bytes) const {
  const int failed = posix_fallocate(file_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  if (failed != 0) {
    errno = failed;
    return nullptr;
  }
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

Cell* RankFile::take(std::uint64_t capacity) {
  next_bytes_ = capacity * sizeof(Cell);
  next_table_ = map(end_, next_bytes_);
  return static_cast<Cell*>(next_table_);
}

void RankFile::publish(std::uint64_t capacity) {
  head_->capacity = 0;  // whoever reads now finds no table, and looks again
  __atomic_store_n(&head_->table, end_, __ATOMIC_RELEASE);
  __atomic_store_n(&head_->capacity, capacity, __ATOMIC_RELEASE);
  end_ += (next_bytes_ + most_page_bytes - 1) / most_page_bytes * most_page_bytes;
  if (table_ != nullptr) munmap(table_, table_bytes_);
  table_ = next_table_;
  table_bytes_ = next_bytes_;
}

}  // namespace odonata::libprofile
