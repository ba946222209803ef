// Arguments of Fortran as arguments of C. Fortran passes addresses only; lengths of strings come
// after all other arguments.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "odonata/trace/functions.hpp"
#include "preload/libmpi/api/language_bindings/fortran.hpp"
#include "preload/libmpi/fortran/sentinels.hpp"

namespace odonata::libmpi::fortran {

using trace::Function;

// ---- null pointers. C looks at the other arguments.

/// Where the error code goes.
inline MPI_Fint& code(MPI_Fint* error) {
  thread_local MPI_Fint nowhere;
  return error != nullptr ? *error : nowhere;
}

/// Answers a call with null pointers among these, which are read or written here.
template <class... Pointers>
bool lacks(Function function, MPI_Fint* error, Pointers... places) {
  if (((places != nullptr) && ...)) return false;
  code(error) = odonata_null_argument(static_cast<int>(function));
  return true;
}

/// The address of an array, which may be null if it has no elements.
inline const void* elements(const MPI_Fint* count, const void* first) {
  return count == nullptr || *count <= 0 ? count : first;
}

/// The address of a text, which may be null if it has no characters.
inline const void* text_at(const void* place, const std::size_t& length) {
  return length == 0 ? &length : place;
}

// ---- handles: integers in Fortran

#ifdef ODONATA_ABI_OPENMPI
inline MPI_Comm null(MPI_Comm) { return MPI_COMM_NULL; }
inline MPI_Datatype null(MPI_Datatype) { return MPI_DATATYPE_NULL; }
inline MPI_Errhandler null(MPI_Errhandler) { return MPI_ERRHANDLER_NULL; }
inline MPI_Group null(MPI_Group) { return MPI_GROUP_NULL; }
inline MPI_Info null(MPI_Info) { return MPI_INFO_NULL; }
inline MPI_Message null(MPI_Message) { return MPI_MESSAGE_NULL; }
inline MPI_Op null(MPI_Op) { return MPI_OP_NULL; }
inline MPI_Request null(MPI_Request) { return MPI_REQUEST_NULL; }
template <class T>
concept Handle = requires(T handle) { null(handle); };
template <Handle T>
MPI_Fint to_fortran(T handle) {
  return abi::to_integer(null(handle), handle);
}
template <Handle T>
T from_fortran(MPI_Fint integer) {
  return abi::from_integer(null(T{}), integer);
}
#else
// All of them are integers in C, too.
template <class T>
concept Handle = std::same_as<T, int>;
inline MPI_Fint to_fortran(int handle) { return handle; }
template <Handle T>
T from_fortran(MPI_Fint integer) {
  return integer;
}
#endif

/// An array of handles that lives as long as a call.
template <Handle T>
class HandleArray {
 public:
  enum class Direction { in, out, both };

  HandleArray(int count, void* place, Direction direction = Direction::in)
      : integers_(static_cast<MPI_Fint*>(place)),
        direction_(direction),
        handles_(std::max(count, 0)) {
    if (direction_ == Direction::out) return;
    std::transform(integers_, integers_ + handles_.size(), handles_.begin(), from_fortran<T>);
  }
  ~HandleArray() {
    if (direction_ == Direction::in) return;
    std::transform(handles_.begin(), handles_.end(), integers_,
                   [](T handle) { return to_fortran(handle); });
  }
  HandleArray(const HandleArray&) = delete;
  HandleArray& operator=(const HandleArray&) = delete;

  [[nodiscard]] T* data() { return handles_.data(); }

 private:
  MPI_Fint* integers_;
  Direction direction_;
  std::vector<T> handles_;
};

// ---- strings: padded with blanks, without a null character

inline std::string from_fortran(const void* text, std::size_t length) {
  const char* first = static_cast<const char*>(text);
  const char* last = first + length;
  while (last > first && last[-1] == ' ') --last;
  while (first < last && *first == ' ') ++first;
  return {first, last};
}

inline void to_fortran(const char* from, void* to, std::size_t length) {
  const std::size_t given = std::min(std::strlen(from), length);
  std::memcpy(to, from, given);
  std::memset(static_cast<char*>(to) + given, ' ', length - given);
}

/// The space into which C writes a string; it stays as it is if C writes none.
class StringOut {
 public:
  StringOut(void* place, std::size_t length) : place_(place), length_(length) {
    text_[0] = untouched;
  }
  ~StringOut() {
    if (text_[0] != untouched) to_fortran(text_, place_, length_);
  }
  StringOut(const StringOut&) = delete;
  StringOut& operator=(const StringOut&) = delete;

  [[nodiscard]] char* get() { return text_; }

 private:
  static constexpr char untouched = '\x01';
  void* place_;
  std::size_t length_;
  char text_[MPI_MAX_LIBRARY_VERSION_STRING + 1024];
};

// ---- one argument

template <class T>
struct Argument {  // an integer by value
  Argument(void* place, std::size_t) : value(*static_cast<T*>(place)) {}
  T get() const { return value; }
  T value;
};

template <class T>
  requires(!Handle<T> && !Handle<T*>)
struct Argument<T*> {  // an array
  Argument(void* place, std::size_t) : value(static_cast<T*>(place)) {}
  T* get() const { return value; }
  T* value;
};

#define ODONATA_POINTER(T, conversion)                                                             \
  template <>                                                                                      \
  struct Argument<T> {                                                                             \
    Argument(void* place, std::size_t) : value(conversion(place)) {}                               \
    T get() const { return value; }                                                                \
    T value;                                                                                       \
  };
ODONATA_POINTER(void*, buffer)
ODONATA_POINTER(const void*, buffer)
ODONATA_POINTER(MPI_Status*, statuses)
ODONATA_POINTER(const MPI_Status*, statuses)
ODONATA_POINTER(int*, integers)
ODONATA_POINTER(const int*, integers)
#undef ODONATA_POINTER

template <>
struct Argument<const char*> {
  Argument(void* place, std::size_t length) : value(from_fortran(place, length)) {}
  const char* get() const { return value.c_str(); }
  std::string value;
};

template <>
struct Argument<char*> : StringOut {
  using StringOut::StringOut;
};

#ifdef ODONATA_ABI_OPENMPI
template <Handle T>
struct Argument<T> {
  Argument(void* place, std::size_t) : value(from_fortran<T>(*static_cast<MPI_Fint*>(place))) {}
  T get() const { return value; }
  T value;
};

template <Handle T>
struct Argument<T*> {  // one that C changes
  Argument(void* place, std::size_t)
      : integer(static_cast<MPI_Fint*>(place)), value(from_fortran<T>(*integer)) {}
  ~Argument() { *integer = to_fortran(value); }
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  T* get() { return &value; }
  MPI_Fint* integer;
  T value;
};
#endif

// ---- a call

template <class T>
inline constexpr bool is_string = std::is_same_v<T, char*> || std::is_same_v<T, const char*>;

/// The number of the string at an argument's place, if that argument is a string.
template <class... Args>
constexpr std::size_t string_at(std::size_t place) {
  constexpr bool strings[] = {is_string<Args>..., false};
  return static_cast<std::size_t>(std::count(strings, strings + place, true));
}

/// Is the argument read or written here, and not by C?
#ifdef ODONATA_ABI_OPENMPI
template <class T>
inline constexpr bool is_converted =
    !std::is_pointer_v<T> || is_string<T> || Handle<T> || Handle<std::remove_pointer_t<T>>;
#else
template <class T>
inline constexpr bool is_converted = !std::is_pointer_v<T> || is_string<T>;
#endif

template <class T>
bool is_missing(const void* place, std::size_t length) {
  return is_converted<T> && place == nullptr && (!is_string<T> || length > 0);
}

template <class... Args, std::size_t... I>
int call([[maybe_unused]] Function name, int (*function)(Args...),
         [[maybe_unused]] void* const* places, [[maybe_unused]] const std::size_t* lengths,
         std::index_sequence<I...>) {
  if ((is_missing<Args>(places[I], lengths[string_at<Args...>(I)]) || ...))
    return odonata_null_argument(static_cast<int>(name));
  return function(Argument<Args>(places[I], lengths[string_at<Args...>(I)]).get()...);
}

template <std::size_t arguments, std::size_t strings, class... Args>
void run(Function name, int (*function)(Args...), void* const* places, const std::size_t* lengths,
         MPI_Fint* error) {
  static_assert(sizeof...(Args) == arguments);
  static_assert((std::size_t{is_string<Args>} + ... + 0) == strings);
  code(error) = call(name, function, places, lengths, std::index_sequence_for<Args...>{});
}

}  // namespace odonata::libmpi::fortran
