// The dynamic linker asks this library (rtld-audit(7)) when it looks for another one. For an MPI
// library the answer is ours of the same ABI, wherever the program, a wrapper around it or dlopen()
// would have found theirs. Ours is loaded in the place of the program's own, so that libraries
// before it, such as profilers, stay before it.
//
// The library needs no other one. The linker would load a second C library beside the program's for
// it, whose memory valgrind takes for the first one's.
#include <fcntl.h>
#include <link.h>
#include <linux/limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>

#include "odonata/live/mpi_libraries.hpp"

// The dynamic linker's: where the kernel put the arguments.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
extern "C" void* __libc_stack_end;

namespace {

using odonata::live::MpiLibrary;
using odonata::live::Role;

struct Substitute {
  const char* abi;
  Role role;
  const char* library;  // ours, below the folder
};

// No library is looked up by a row without a name: mpi_libraries has none for it.
constexpr Substitute substitutes[] = {
#define ODONATA_ABI(name, title, of_c, of_fortran, ...)                                            \
  {#name, Role::c, "/" #name "/" of_c}, {#name, Role::fortran, "/" #name "/" of_fortran},
#include "odonata/live/abis.inc"
};
constexpr int count = sizeof substitutes / sizeof substitutes[0];

// The linker calls functions that share nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): the linker keeps what it gets
char paths[count][PATH_MAX];

// Negative if it fails.
long call_system(long number, long a, const void* b, long c, long d = 0) {
#if defined(__x86_64__)
  long result = number;
  register long fourth asm("r10") = d;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(fourth)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long call asm("x8") = number;
  register long result asm("x0") = a;
  register const void* second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  asm volatile("svc 0" : "+r"(result) : "r"(call), "r"(second), "r"(third), "r"(fourth) : "memory");
  return result;
#else
  return syscall(number, a, b, c, d);
#endif
}

// ---- texts

/// The rest of a text that begins with another one, else null.
const char* behind(const char* text, const char* start) {
  for (; *start != '\0'; ++start, ++text)
    if (*text != *start) return nullptr;
  return text;
}

bool equal(const char* a, const char* b) {
  const char* rest = behind(a, b);
  return rest != nullptr && *rest == '\0';
}

const char* file_of(const char* path) {
  const char* file = path;
  for (; *path != '\0'; ++path)
    if (*path == '/') file = path + 1;
  return file;
}

const char* variable(const char* name) {
  char** argument = static_cast<char**>(__libc_stack_end) + 1;
  while (*argument != nullptr) ++argument;
  for (char** entry = argument + 1; *entry != nullptr; ++entry)
    if (const char* value = behind(*entry, name); value != nullptr && *value == '=')
      return value + 1;
  return nullptr;
}

/// Writes two texts to `place`, one behind the other; false if they have no room.
bool join(const char* first, const char* second, char* place) {
  const char* const end = place + PATH_MAX - 1;
  for (const char* text : {first, second})
    for (; *text != '\0'; ++text) {
      if (place == end) return false;
      *place++ = *text;
    }
  *place = '\0';
  return true;
}

// ---- libraries

// Null if the file is no MPI library that ours replaces, or this installation has none of its ABI.
const char* substitute_of(const char* file) {
  const MpiLibrary* known = odonata::live::mpi_library(file);
  if (known == nullptr) return nullptr;
  for (int i = 0; i < count; ++i)
    if (known->role == substitutes[i].role && equal(known->abi, substitutes[i].abi))
      return paths[i][0] == '\0' ? nullptr : paths[i];
  return nullptr;
}

// Is the path one of ODONATA_MODULES? These libraries are loaded after ours of the same name.
bool stays(const char* path) {
  if (file_of(path) == path) return false;
  for (const char* one = variable("ODONATA_MODULES"); one != nullptr && *one != '\0';) {
    const char* rest = behind(one, path);
    if (rest != nullptr && (*rest == '\0' || *rest == ':')) return true;
    while (*one != '\0' && *one++ != ':') {
    }
  }
  return false;
}

/// The path of an open file, without links.
bool path_of(long file, char* place) {
  char digits[16] = {};
  char* number = digits + sizeof digits - 1;
  do *--number = static_cast<char>('0' + file % 10);
  while ((file /= 10) > 0);
  char link[PATH_MAX];
  if (!join("/proc/self/fd/", number, link)) return false;
  const long length =
      call_system(SYS_readlinkat, AT_FDCWD, link, reinterpret_cast<long>(place), PATH_MAX - 1);
  if (length <= 0) return false;
  place[length] = '\0';
  return true;
}

// The file behind a name without an ABI, such as libmpi.so.
bool resolve(const char* path, char* place) {
  const char* file = file_of(path);
  if (file == path || behind(file, "libmpi") == nullptr) return false;
  const long open = call_system(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC);
  if (open < 0) return false;
  const bool found = path_of(open, place);
  call_system(SYS_close, open, nullptr, 0);
  return found;
}

}  // namespace

#define ODONATA_EXPORT extern "C" __attribute__((visibility("default")))

ODONATA_EXPORT unsigned la_version(unsigned) {
  const char* folder = variable("ODONATA_LIBRARIES");
  if (folder == nullptr) return 0;  // not a rank: we are not needed
  for (int i = 0; i < count; ++i)
    if (!join(folder, substitutes[i].library, paths[i]) ||
        call_system(SYS_faccessat, AT_FDCWD, paths[i], R_OK) < 0)
      paths[i][0] = '\0';
  return LAV_CURRENT;
}

ODONATA_EXPORT char* la_objsearch(const char* name, std::uintptr_t*, unsigned) {
  char place[PATH_MAX];
  if (stays(name)) return const_cast<char*>(name);
  const char* found = substitute_of(file_of(name));
  if (found == nullptr && resolve(name, place)) found = substitute_of(file_of(place));
  return const_cast<char*>(found == nullptr ? name : found);
}
