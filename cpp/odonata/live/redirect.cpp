#include "odonata/live/redirect.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace odonata::live {

namespace {

using Entry = ElfW(Rela);

/// Contents of the dynamic section of an object; addresses are those in memory.
struct Dynamic {
  explicit Dynamic(const link_map& object);

  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  std::span<const Entry> calls, data;  // relocations
  std::vector<const char*> needed;
};

Dynamic::Dynamic(const link_map& object) {
  const Entry *jumps = nullptr, *others = nullptr;
  std::size_t jump_bytes = 0, other_bytes = 0;
  std::vector<std::size_t> names;
  for (const ElfW(Dyn)* d = object.l_ld; d->d_tag != DT_NULL; ++d) {
    const auto address = d->d_un.d_ptr;
    switch (d->d_tag) {
      case DT_STRTAB: strings = reinterpret_cast<const char*>(address); break;
      case DT_SYMTAB: symbols = reinterpret_cast<const ElfW(Sym)*>(address); break;
      case DT_JMPREL: jumps = reinterpret_cast<const Entry*>(address); break;
      case DT_PLTRELSZ: jump_bytes = d->d_un.d_val; break;
      case DT_RELA: others = reinterpret_cast<const Entry*>(address); break;
      case DT_RELASZ: other_bytes = d->d_un.d_val; break;
      case DT_NEEDED: names.push_back(d->d_un.d_val); break;
      default: break;
    }
  }
  if (jumps != nullptr) calls = {jumps, jump_bytes / sizeof(Entry)};
  if (others != nullptr) data = {others, other_bytes / sizeof(Entry)};
  for (const std::size_t name : names) needed.push_back(strings + name);
}

std::string_view base_name(const char* path) {
  const std::string_view whole = path;
  return whole.substr(whole.rfind('/') + 1);
}

bool left_alone(std::string_view name) {
  static constexpr std::string_view beginnings[] = {"libc.so", "ld-linux",   "libpthread",
                                                    "libmpi",  "libodonata", "linux-vdso"};
  return name.empty() || std::ranges::any_of(beginnings, [&](std::string_view beginning) {
           return name.starts_with(beginning);
         });
}

/// The object and all that it needs, as they are in memory.
std::vector<const link_map*> closure(const link_map& first) {
  const link_map* start = &first;
  while (start->l_prev != nullptr) start = start->l_prev;
  std::vector<const link_map*> found{&first};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const char* name : Dynamic(*found[i]).needed) {
      for (const link_map* other = start; other != nullptr; other = other->l_next) {
        if (base_name(other->l_name) != base_name(name) || left_alone(base_name(name))) continue;
        if (std::ranges::find(found, other) == found.end()) found.push_back(other);
      }
    }
  }
  return found;
}

bool holds_address(std::uint64_t type) {
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
#else
  return false;
#endif
}

// The page may have been made read-only after the dynamic linker was done with it.
void write(void** place, void* value) {
  if (*place == value) return;
  const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(place) / size * size);
  if (mprotect(page, size, PROT_READ | PROT_WRITE) == 0) *place = value;
}

void redirect_one(const link_map& object, std::span<const Redirection> functions) {
  const Dynamic dynamic(object);
  if (dynamic.symbols == nullptr || dynamic.strings == nullptr) return;
  for (const auto& entries : {dynamic.calls, dynamic.data}) {
    for (const Entry& entry : entries) {
      const ElfW(Sym) & symbol = dynamic.symbols[ELF64_R_SYM(entry.r_info)];
      if (symbol.st_shndx != SHN_UNDEF || !holds_address(ELF64_R_TYPE(entry.r_info))) continue;
      const std::string_view name = dynamic.strings + symbol.st_name;
      for (const Redirection& function : functions)
        if (function.name == name)
          write(reinterpret_cast<void**>(object.l_addr + entry.r_offset), function.to);
    }
  }
}

}  // namespace

void redirect(void* loaded, std::span<const Redirection> functions) {
  link_map* object = nullptr;
  if (dlinfo(loaded, RTLD_DI_LINKMAP, static_cast<void*>(&object)) != 0) return;
  for (const link_map* one : closure(*object)) redirect_one(*one, functions);
}

}  // namespace odonata::live
