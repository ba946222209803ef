#include "odonata/live/pristine.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "odonata/units/errors.hpp"

#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR 36
#endif

extern "C" void* __tls_get_addr(std::size_t*);  // NOLINT(bugprone-reserved-identifier)

namespace odonata::live {

namespace {

using Address = ElfW(Addr);

constexpr std::size_t word = sizeof(Address);

#if defined(__aarch64__)
constexpr std::uint64_t relative = R_AARCH64_RELATIVE, tls_descriptor = R_AARCH64_TLSDESC;
#else
constexpr std::uint64_t relative = R_X86_64_RELATIVE, tls_descriptor = R_X86_64_TLSDESC;
#endif

/// A part of a segment; addresses as in the file.
struct Range {
  Address start, end;  // [start, end)
};

/// Contents of a range, which are restored to their beginning.
class Contents {
 public:
  Contents(const Object& object, const ElfW(Phdr) & segment, Range range);

  /// The word at this address begins with this value, if the range has it.
  void set(Address address, Address value) { write(address, &value, word); }
  /// The present contents of these addresses were there from the beginning.
  void keep(Address address, std::size_t bytes) { write(address, object_.at(address), bytes); }
  void add_to_words(std::span<const Address> bitmaps);
  [[nodiscard]] Piece piece() &&;

 private:
  void write(Address address, const void* from, std::size_t bytes);
  void add_base(Address address);

  const Object& object_;
  Range range_;
  std::vector<std::byte> bytes_;
};

Contents::Contents(const Object& object, const ElfW(Phdr) & segment, Range range)
    : object_(object), range_(range) {
  const Address end = std::min(range.end, segment.p_vaddr + segment.p_filesz);
  if (end <= range.start) return;
  bytes_.resize(end - range.start);
  const int file = open(object.path(), O_RDONLY | O_CLOEXEC);
  const auto offset = static_cast<off_t>(segment.p_offset + (range.start - segment.p_vaddr));
  const ssize_t got = file < 0 ? -1 : pread(file, bytes_.data(), bytes_.size(), offset);
  if (file >= 0) close(file);
  if (got != static_cast<ssize_t>(bytes_.size()))
    throw UserError(std::string(object.path()) + ": cannot be read");
}

void Contents::write(Address address, const void* from, std::size_t bytes) {
  if (address < range_.start || address + bytes > range_.start + bytes_.size()) return;
  std::memcpy(bytes_.data() + (address - range_.start), from, bytes);
}

void Contents::add_base(Address address) {
  if (address < range_.start || address + word > range_.start + bytes_.size()) return;
  Address value = 0;
  std::memcpy(&value, bytes_.data() + (address - range_.start), word);
  set(address, value + object_.map()->l_addr);
}

// The packed form of relocations: an even entry is an address, an odd one tells which of the 63
// words after it are meant.
void Contents::add_to_words(std::span<const Address> entries) {
  constexpr Address bits = word * 8 - 1;
  Address next = 0;
  for (const Address entry : entries) {
    if (entry % 2 == 0) {
      add_base(entry);
      next = entry + word;
      continue;
    }
    for (Address bit = 0; bit < bits; ++bit)
      if ((entry >> (bit + 1)) % 2 != 0) add_base(next + bit * word);
    next += bits * word;
  }
}

Piece Contents::piece() && {
  return {object_.at(range_.start), range_.end - range_.start, std::move(bytes_)};
}

void relocate(Contents& contents, const Object& object) {
  contents.add_to_words(object.table<const Address>(DT_RELR, DT_RELRSZ));
  for (const auto& entries : {object.data, object.calls}) {
    for (const Object::Relocation& entry : entries) {
      const auto type = ELF64_R_TYPE(entry.r_info);
      if (type == relative)
        contents.set(entry.r_offset, object.map()->l_addr + static_cast<Address>(entry.r_addend));
      else
        contents.keep(entry.r_offset, type == tls_descriptor ? 2 * word : word);
    }
  }
}

// The dynamic linker itself has written addresses in the dynamic section, and its own in the
// first words of the table of calls.
void keep_linkers(Contents& contents, const Object& object) {
  const Address base = object.map()->l_addr;
  for (const ElfW(Phdr) & part : object.segments())
    if (part.p_type == PT_DYNAMIC) contents.keep(part.p_vaddr, part.p_memsz);
  if (const auto* table = object.entry(DT_PLTGOT)) {
    const auto place = reinterpret_cast<Address>(object.address(table->d_un.d_ptr));
    for (Address i = 0; i < 3; ++i) contents.keep(place - base + i * word, word);
  }
}

// Ranges of a writable segment that stay writable: the dynamic linker protects whole pages.
std::vector<Range> writable(const Object& object, const ElfW(Phdr) & segment) {
  const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
  Range before{segment.p_vaddr, segment.p_vaddr + segment.p_memsz}, after = before;
  for (const ElfW(Phdr) & part : object.segments()) {
    if (part.p_type != PT_GNU_RELRO) continue;
    const Address start = part.p_vaddr / page * page;
    const Address end = (part.p_vaddr + part.p_memsz) / page * page;
    if (end <= before.start || start >= before.end || start >= end) continue;
    before.end = start;
    after.start = end;
    return {before, after};
  }
  return {before};
}

}  // namespace

std::vector<Piece> pristine_variables(const Object& object) {
  std::vector<Piece> pieces;
  for (const ElfW(Phdr) & segment : object.segments()) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    for (const Range& range : writable(object, segment)) {
      if (range.start >= range.end) continue;
      Contents contents(object, segment, range);
      relocate(contents, object);
      keep_linkers(contents, object);
      pieces.push_back(std::move(contents).piece());
    }
  }
  return pieces;
}

Piece pristine_thread_variables(const Object& object) {
  for (const ElfW(Phdr) & part : object.segments()) {
    if (part.p_type != PT_TLS || object.tls_module() == 0) continue;
    std::array<std::size_t, 2> index{object.tls_module(), 0};
    const std::byte* from = object.at(part.p_vaddr);
    return {static_cast<std::byte*>(__tls_get_addr(index.data())),
            part.p_memsz,
            {from, from + part.p_filesz}};
  }
  return {};
}

}  // namespace odonata::live
