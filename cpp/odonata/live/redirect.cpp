#include "odonata/live/redirect.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace odonata::live {

namespace {

bool holds_address(std::uint64_t type) {
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
#else
  return false;
#endif
}

/// Calls `visit(entry)` for each place that holds the address of a symbol.
template <class Visit>
void for_each_address(const Object& object, Visit visit) {
  if (!object.has_symbols()) return;
  for (const auto& entries : {object.calls, object.data})
    for (const Object::Relocation& entry : entries)
      if (holds_address(ELF64_R_TYPE(entry.r_info))) visit(entry);
}

}  // namespace

void redirect_one(const Object& object, std::span<const Redirection> functions) {
  for_each_address(object, [&](const Object::Relocation& entry) {
    if (object.symbol(entry).st_shndx != SHN_UNDEF) return;
    const std::string_view name = object.symbol_name(entry);
    for (const Redirection& function : functions)
      if (function.name == name && function.to != nullptr)
        overwrite(object.at(entry.r_offset), &function.to, sizeof function.to);
  });
}

void redirect(void* loaded, std::span<const Redirection> functions) {
  const link_map* object = object_of(loaded);
  if (object == nullptr) return;
  for (const link_map* one : closure(*object)) redirect_one(Object(*one), functions);
}

void share_data(const Object& object, void* loaded) {
  for_each_address(object, [&](const Object::Relocation& entry) {
    const ElfW(Sym) & symbol = object.symbol(entry);
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) return;
    const void* found = dlsym(loaded, object.symbol_name(entry));
    if (found == nullptr) found = object.at(symbol.st_value);
    const auto* place = static_cast<const std::byte*>(found) + entry.r_addend;
    overwrite(object.at(entry.r_offset), &place, sizeof place);
  });
}

}  // namespace odonata::live
