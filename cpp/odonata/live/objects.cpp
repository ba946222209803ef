#include "odonata/live/objects.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "odonata/live/mpi_libraries.hpp"

namespace odonata::live {

namespace {

std::string_view base_name(const char* path) {
  const std::string_view whole = path;
  return whole.substr(whole.rfind('/') + 1);
}

bool left_alone(const char* path) {
  static constexpr std::string_view beginnings[] = {"libc.so", "ld-linux", "libpthread",
                                                    "libodonata", "linux-vdso"};
  const std::string_view name = base_name(path);
  return name.empty() || mpi_library(name.data()) != nullptr ||
         std::ranges::any_of(
             beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

struct Headers {
  const link_map* object;
  std::span<const ElfW(Phdr)> segments;
  std::size_t tls_module;
};

int take_headers(dl_phdr_info* info, std::size_t, void* data) {
  auto& wanted = *static_cast<Headers*>(data);
  if (info->dlpi_addr != wanted.object->l_addr) return 0;
  if (std::strcmp(info->dlpi_name, wanted.object->l_name) != 0) return 0;
  wanted.segments = {info->dlpi_phdr, info->dlpi_phnum};
  wanted.tls_module = info->dlpi_tls_modid;
  return 1;
}

}  // namespace

Object::Object(const link_map& object) : map_(&object) {
  Headers headers{&object, {}, 0};
  dl_iterate_phdr(&take_headers, &headers);
  segments_ = headers.segments;
  tls_module_ = headers.tls_module;
  if (const auto* found = entry(DT_STRTAB))
    strings_ = reinterpret_cast<const char*>(address(found->d_un.d_ptr));
  if (const auto* found = entry(DT_SYMTAB))
    symbols_ = reinterpret_cast<const ElfW(Sym)*>(address(found->d_un.d_ptr));
  calls = table<const Relocation>(DT_JMPREL, DT_PLTRELSZ);
  data = table<const Relocation>(DT_RELA, DT_RELASZ);
  if (strings_ == nullptr) return;
  for (const ElfW(Dyn)* d = object.l_ld; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_NEEDED) needed.push_back(strings_ + d->d_un.d_val);
}

std::string_view Object::name() const { return base_name(map_->l_name); }

bool Object::is_called(std::string_view library) const {
  if (name() == library) return true;
  const auto* own = entry(DT_SONAME);
  return own != nullptr && strings_ != nullptr && library == strings_ + own->d_un.d_val;
}

std::byte* Object::at(ElfW(Addr) address) const {
  return reinterpret_cast<std::byte*>(map_->l_addr + address);
}

std::byte* Object::address(ElfW(Addr) said) const {
  return said < map_->l_addr ? at(said) : reinterpret_cast<std::byte*>(said);
}

const ElfW(Sym) & Object::symbol(const Relocation& entry) const {
  return symbols_[ELF64_R_SYM(entry.r_info)];
}

const char* Object::symbol_name(const Relocation& entry) const {
  return strings_ + symbol(entry).st_name;
}

ElfW(Dyn) * Object::entry(ElfW(Sxword) tag) const {
  for (ElfW(Dyn)* d = map_->l_ld; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == tag) return d;
  return nullptr;
}

const link_map* object_of(void* loaded) {
  link_map* object = nullptr;
  return dlinfo(loaded, RTLD_DI_LINKMAP, static_cast<void*>(&object)) == 0 ? object : nullptr;
}

std::vector<const link_map*> all_objects() {
  std::vector<const link_map*> found;
  void* self = dlopen(nullptr, RTLD_NOW);
  for (const link_map* one = object_of(self); one != nullptr; one = one->l_next)
    found.push_back(one);
  dlclose(self);
  return found;
}

namespace {

/// Finds objects by the names by which others need them.
class Search {
 public:
  Search() {
    for (const link_map* one : all_objects())
      if (!left_alone(one->l_name)) objects_.emplace_back(*one);
  }
  /// Adds an object after all that it needs.
  void visit(const link_map* object) {
    if (std::ranges::find(seen_, object) != seen_.end()) return;
    seen_.push_back(object);
    for (const char* name : Object(*object).needed)
      for (const Object& other : objects_)
        if (other.is_called(base_name(name))) visit(other.map());
    found_.push_back(object);
  }
  std::vector<const link_map*> found() && {
    std::ranges::reverse(found_);
    return std::move(found_);
  }

 private:
  std::vector<Object> objects_;
  std::vector<const link_map*> seen_, found_;
};

}  // namespace

std::vector<const link_map*> closure(const link_map& first) {
  Search search;
  search.visit(&first);
  return std::move(search).found();
}

void overwrite(void* place, const void* from, std::size_t bytes) {
  if (std::memcmp(place, from, bytes) == 0) return;
  const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(place) / size * size;
  const auto end = reinterpret_cast<std::uintptr_t>(place) + bytes;
  if (mprotect(reinterpret_cast<void*>(start), end - start, PROT_READ | PROT_WRITE) == 0)
    std::memcpy(place, from, bytes);
}

}  // namespace odonata::live
