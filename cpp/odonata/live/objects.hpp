// Shared objects of this process, as the dynamic linker has placed them in memory.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace odonata::live {

/// Parts of an object of this process; addresses are those in memory.
class Object {
 public:
  using Relocation = ElfW(Rela);

  explicit Object(const link_map& object);

  [[nodiscard]] const link_map* map() const { return map_; }
  [[nodiscard]] const char* path() const { return map_->l_name; }
  [[nodiscard]] std::string_view name() const;  // of its file
  [[nodiscard]] bool is_called(std::string_view library) const;
  /// The place of an address of its file.
  [[nodiscard]] std::byte* at(ElfW(Addr) address) const;
  [[nodiscard]] std::span<const ElfW(Phdr)> segments() const { return segments_; }
  [[nodiscard]] std::size_t tls_module() const { return tls_module_; }  // 0: it has none

  [[nodiscard]] const char* symbol_name(const Relocation& entry) const;
  [[nodiscard]] const ElfW(Sym) & symbol(const Relocation& entry) const;
  [[nodiscard]] bool has_symbols() const { return strings_ != nullptr && symbols_ != nullptr; }

  /// A value of its dynamic section; null if it has none of this tag.
  [[nodiscard]] ElfW(Dyn) * entry(ElfW(Sxword) tag) const;
  /// The table that begins at the value of one tag and has the bytes of another.
  template <class Element>
  [[nodiscard]] std::span<Element> table(ElfW(Sxword) start, ElfW(Sxword) bytes) const {
    const ElfW(Dyn)* const from = entry(start);
    const ElfW(Dyn)* const length = entry(bytes);
    if (from == nullptr || length == nullptr) return {};
    return {reinterpret_cast<Element*>(address(from->d_un.d_ptr)),
            length->d_un.d_val / sizeof(Element)};
  }
  /// A place that the dynamic section names, whether or not the dynamic linker has added to it.
  [[nodiscard]] std::byte* address(ElfW(Addr) said) const;

  std::vector<const char*> needed;           // names of libraries
  std::span<const Relocation> calls, data;  // relocations

 private:
  const link_map* map_;
  std::span<const ElfW(Phdr)> segments_;
  std::size_t tls_module_ = 0;
  const char* strings_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
};

/// The object of a handle of dlopen().
[[nodiscard]] const link_map* object_of(void* loaded);
/// All objects of this process, in order of loading.
[[nodiscard]] std::vector<const link_map*> all_objects();
/// An object and all that it needs, each before the objects that it needs itself; without the C
/// library, libraries of MPI and the dynamic linker.
[[nodiscard]] std::vector<const link_map*> closure(const link_map& first);

/// Writes to a place that may have been made read-only.
void overwrite(void* place, const void* from, std::size_t bytes);

}  // namespace odonata::live
