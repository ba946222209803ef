#include "odonata/live/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "odonata/units/errors.hpp"

namespace odonata::live {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t address_space = std::uint64_t{32} << 40;  // of the 128 TiB that there are
constexpr std::uint64_t most_arena = std::uint64_t{16} << 30;
constexpr std::uint64_t least_arena = std::uint64_t{1} << 20;
constexpr std::uint64_t most_checked_arena = std::uint64_t{1} << 27;  // CHECKED_BYTES, two arenas

constexpr std::uint64_t rounded(std::uint64_t bytes) { return (bytes + page - 1) / page * page; }

[[noreturn]] void refuse(const std::string& what, int error) {
  throw UserError("memory of the ranks: " + what + ": " + std::strerror(error));
}

/// Fibers take turns: their rings hold few records at any time, which should stay in the cache.
std::uint64_t ring_bytes(const MemoryOptions& options) {
  if (options.ring_bytes != 0) return options.ring_bytes;
  if (!options.shared) return std::uint64_t{8} << 10;
  return std::uint64_t{options.num_ranks > 2048 ? 16u : 64u} << 10;
}

/// Sets where every part begins; returns the end of the last.
std::uint64_t lay_out(Header& header, const MemoryOptions& options) {
  const auto ranks = static_cast<std::uint64_t>(options.num_ranks);
  header.num_ranks = static_cast<std::uint32_t>(ranks);
  header.ring_bytes = ring_bytes(options);
  header.arena_bytes = options.arena_bytes != 0
                           ? rounded(options.arena_bytes)
                           : std::min(most_arena, std::bit_floor(address_space / (ranks + 1)));
  header.areas = rounded(sizeof(Header));
  header.buckets = rounded(header.areas + ranks * sizeof(RankArea));
  header.nodes = rounded(header.buckets + num_buckets * sizeof(Bucket));
  header.rings = rounded(header.nodes + ranks * sizeof(std::int32_t));
  header.arenas = rounded(header.rings + ranks * header.ring_bytes);
  return header.arenas + (ranks + 1) * header.arena_bytes;
}

void check(const MemoryOptions& options) {
  const auto ranks = static_cast<std::uint64_t>(options.num_ranks);
  if (options.num_ranks < 1 || options.num_ranks > most_ranks)
    throw UserError("ranks: out of range", options.num_ranks, "1 to " + std::to_string(most_ranks));
  if (options.ring_bytes != 0 && (!std::has_single_bit(options.ring_bytes) ||
                                  options.ring_bytes < page || options.ring_bytes > 1u << 30))
    throw UserError("ring of a rank [B]: out of range", options.ring_bytes,
                    "powers of two from 4096 to 1073741824");
  if (options.arena_bytes != 0 &&
      (options.arena_bytes < least_arena || options.arena_bytes > 2 * address_space / (ranks + 1)))
    throw UserError("memory of a rank's messages [B]: out of range", options.arena_bytes,
                    "1048576 to " + std::to_string(2 * address_space / (ranks + 1)));
  if (options.host_prefix.size() >= sizeof(Header::host_prefix) || options.host_digits < 1 ||
      options.host_digits > 9)
    throw UserError("names of nodes: out of range", options.host_prefix,
                    "a prefix of 35 characters and 1 to 9 digits at most");
}

int make_file(std::uint64_t bytes) {
  const int file = memfd_create("odonata", MFD_CLOEXEC);
  if (file < 0) refuse("cannot be made", errno);
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  const int error = errno;
  close(file);
  refuse("cannot have " + std::to_string(bytes >> 30) + " GiB of address space", error);
}

void* map(int file, std::size_t bytes) {
  const int kind = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind | MAP_NORESERVE, file, 0);
  if (start == MAP_FAILED) return nullptr;
  madvise(start, bytes, MADV_DONTDUMP);
  madvise(start, bytes, MADV_NOHUGEPAGE);  // ranks touch little here and there
  return start;
}

bool under_valgrind() {
  const char* preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "vgpreload_") != nullptr;
}

// Valgrind cannot map the memory of a usual run, or looks through all of it at the end.
void refuse_valgrind(int file) {
  Header header;
  if (!under_valgrind() || pread(file, &header, sizeof header, 0) != sizeof header) return;
  if (header.arena_bytes > most_checked_arena)
    throw UserError(
        "memory of the ranks: too large for valgrind, whose name must stand in the command "
        "(-- valgrind ./program) or in the script that it starts");
}

// The layout that a memory of this size must have according to its header.
bool plausible(const Header& header, std::uint64_t bytes) {
  if (header.magic != magic || header.num_ranks == 0 || header.num_ranks > most_ranks) return false;
  if (!std::has_single_bit(header.ring_bytes) || header.arena_bytes > bytes) return false;
  Header again;
  const MemoryOptions options{.num_ranks = static_cast<int>(header.num_ranks),
                              .ring_bytes = header.ring_bytes,
                              .arena_bytes = header.arena_bytes};
  return lay_out(again, options) == bytes && again.areas == header.areas &&
         again.buckets == header.buckets && again.nodes == header.nodes &&
         again.rings == header.rings && again.arenas == header.arenas;
}

}  // namespace

Memory::Memory(const MemoryOptions& options) {
  check(options);
  Header sizes;
  bytes_ = lay_out(sizes, options);
  if (options.shared) file_ = make_file(bytes_);
  start_ = map(file_, bytes_);
  if (start_ == nullptr) {
    const int error = errno;
    if (file_ >= 0) close(file_);
    refuse("cannot map " + std::to_string(bytes_ >> 30) + " GiB of address space (ulimit -v?)",
           error);
  }
  auto* header = new (start_) Header;
  lay_out(*header, options);
  auto* nodes = reinterpret_cast<std::int32_t*>(static_cast<std::byte*>(start_) + header->nodes);
  for (int rank = 0; rank < options.num_ranks; ++rank)
    nodes[rank] = options.nodes.empty() ? rank : options.nodes.at(rank);
  header->host_prefix = {};
  std::ranges::copy(options.host_prefix, header->host_prefix.begin());
  header->host_digits = static_cast<std::uint32_t>(options.host_digits);
  header->measure = options.measure ? 1 : 0;
  header->lookahead = options.lookahead ? 1 : 0;
  header->recorded = options.recorded ? 1 : 0;
  header->orders = options.orders ? 1 : 0;
  header->calibration = options.calibration;
  header->compute_scale = options.compute_scale;
  header->poll = options.poll;
  header->wait_per_request = options.wait_per_request;
  header->awake.store(header->num_ranks);
  header->magic = magic;
}

Memory Memory::attach(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) refuse(path + " cannot be opened", errno);
  refuse_valgrind(file);
  struct stat status{};
  Memory memory;
  if (fstat(file, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(Header))) {
    memory.bytes_ = static_cast<std::size_t>(status.st_size);
    memory.start_ = map(file, memory.bytes_);
  }
  const int error = errno;
  close(file);
  if (memory.start_ == nullptr) refuse(path + " cannot be mapped", error);
  if (!plausible(memory.header(), memory.bytes_))
    throw UserError("memory of the ranks: " + path + " is of another version of odonata");
  return memory;
}

Memory::Memory(Memory&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)),
      bytes_(other.bytes_),
      file_(std::exchange(other.file_, -1)) {}

Memory::~Memory() {
  if (start_ != nullptr) munmap(start_, bytes_);
  if (file_ >= 0) close(file_);
}

bool Memory::used() const {
  for (int rank = 0; rank < num_ranks(); ++rank)
    if (area(rank).stage.load() != Stage::started) return true;
  return false;
}

const char* abi_name(Abi abi) {
  switch (abi) {
    case Abi::none: return "";
#define ODONATA_ABI(name, ...)                                                                     \
  case Abi::name: return #name;
#include "odonata/live/abis.inc"
  }
  return "";
}

std::string node_name(const Header& header, int rank) {
  const auto* start = reinterpret_cast<const std::byte*>(&header);
  const auto node = reinterpret_cast<const std::int32_t*>(start + header.nodes)[rank];
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.35s%0*d", header.host_prefix.data(),
                static_cast<int>(header.host_digits % 10), node);
  return text.data();
}

const char* thread_hint(const RankArea& area) {
  if (area.wants_threads.load() == 0) return "";
  return ": it asked for MPI_THREAD_MULTIPLE, and MPI_THREAD_SERIALIZED is provided";
}

std::string Memory::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
}

}  // namespace odonata::live
