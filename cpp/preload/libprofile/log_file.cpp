#include "preload/libprofile/log_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "preload/libprofile/rank_file.hpp"

namespace odonata::libprofile {

namespace {

constexpr std::uint64_t window_bytes = 4U << 20U;  // a multiple of the longest page

bool report(const std::string& path, int error) {
  std::fprintf(stderr, "odonata profile: %s: %s\n", path.c_str(), std::strerror(error));
  return false;
}

// Reserves the place on the disk: a full one is found here and not when something is written.
void* map_part(int file, std::uint64_t place, std::uint64_t bytes) {
  const int failed = posix_fallocate(file, static_cast<off_t>(place), static_cast<off_t>(bytes));
  if (failed != 0) {
    errno = failed;
    return nullptr;
  }
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(place));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace

LogFile::~LogFile() {
  unmap_window();
  if (head_ != nullptr) munmap(head_, trace::log_start);
  if (file_ >= 0) ::close(file_);
}

bool LogFile::open(const std::string& folder, int rank, int ranks) {
  path_ = folder + "/rank-" + std::to_string(rank) + ".odl";
  unlink(path_.c_str());  // a process that has mapped an older one keeps it
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) return report(path_, errno);
  void* const mapped = map_part(file_, 0, trace::log_start);
  if (mapped == nullptr) {
    report(path_, errno);
    unlink(path_.c_str());
    return false;
  }
  head_ = static_cast<trace::LogHead*>(mapped);
  std::memcpy(head_->magic, trace::log_magic, sizeof head_->magic);
  head_->version = trace::log_version;
  head_->rank = rank;
  head_->ranks = ranks;
  gethostname(head_->host, sizeof head_->host - 1);
  read_program(head_->program, sizeof head_->program);
  return true;
}

bool LogFile::map_window(std::uint64_t place) {
  unmap_window();
  window_start_ = place / window_bytes * window_bytes;
  void* const mapped = map_part(file_, trace::log_start + window_start_, window_bytes);
  window_ = static_cast<std::byte*>(mapped);
  if (window_ != nullptr) return true;
  full_ = true;
  return report(path_ + ": no more calls are recorded", errno);
}

void LogFile::unmap_window() {
  if (window_ != nullptr) munmap(window_, window_bytes);
  window_ = nullptr;
}

bool LogFile::put(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (full_) return false;
    const bool inside = window_ != nullptr && end_ - window_start_ < window_bytes;
    if (!inside && !map_window(end_)) return false;
    const std::uint64_t place = end_ - window_start_;
    const std::size_t part = std::min<std::uint64_t>(bytes.size(), window_bytes - place);
    std::memcpy(window_ + place, bytes.data(), part);
    bytes = bytes.subspan(part);
    end_ += part;
  }
  return true;
}

void LogFile::commit(std::uint64_t calls) {
  head_->calls += calls;
  __atomic_store_n(&head_->used, end_, __ATOMIC_RELEASE);
}

void LogFile::give_up(std::uint64_t calls) {
  head_->lost += calls;
  end_ = head_->used;
}

void LogFile::patch(std::uint64_t place, std::span<const std::byte> bytes) {
  const auto at = static_cast<off_t>(trace::log_start + place);
  if (place < end_ && pwrite(file_, bytes.data(), bytes.size(), at) < 0) full_ = true;
}

void LogFile::close() {
  unmap_window();
  if (ftruncate(file_, static_cast<off_t>(trace::log_start + end_)) == 0) full_ = true;
}

}  // namespace odonata::libprofile
