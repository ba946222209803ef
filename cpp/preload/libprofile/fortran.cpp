// Functions for Fortran of Open MPI, whose library calls PMPI_x from them: they are counted here.
// Functions of Fortran 2008 with logicals call pmpi_x_. (MPICH's call MPI_x or PMPI_x in C.)
// Fortran passes addresses only: all arguments are handed on as they came, and arguments that a
// note needs are converted by the types of the function in C.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>

#include "preload/libprofile/wrapped.hpp"

using namespace odonata;
using namespace odonata::libprofile;

namespace {

// ---- arguments as in C

MPI_Comm from_fortran(MPI_Comm, MPI_Fint f) { return ODONATA_REAL(Comm_f2c)(f); }
MPI_Datatype from_fortran(MPI_Datatype, MPI_Fint f) { return ODONATA_REAL(Type_f2c)(f); }
MPI_Request from_fortran(MPI_Request, MPI_Fint f) { return ODONATA_REAL(Request_f2c)(f); }
MPI_Message from_fortran(MPI_Message, MPI_Fint f) { return ODONATA_REAL(Message_f2c)(f); }

template <class T>
concept Converted = requires(T handle) { from_fortran(handle, MPI_Fint{}); };

const void* in_place_of_fortran() {
  static const void* const found = dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_");
  return found;
}

// A status of Open MPI is the same in both languages.
bool ignores_status(const void* place) {
  static const void* const one = dlsym(RTLD_DEFAULT, "mpi_fortran_status_ignore_");
  static const void* const all = dlsym(RTLD_DEFAULT, "mpi_fortran_statuses_ignore_");
  return place != nullptr && (place == one || place == all);
}

constexpr bool lists_requests(Function function) {
  constexpr Function functions[] = {Function::Startall, Function::Waitall, Function::Testall,
                                    Function::Waitany,  Function::Testany, Function::Waitsome,
                                    Function::Testsome};
  return std::find(std::begin(functions), std::end(functions), function) != std::end(functions);
}

// Places of requests, which Fortran counts from 1: the argument that has one or several of them.
constexpr int argument_of_places(Function function) {
  if (function == Function::Waitany || function == Function::Testany) return 2;
  return function == Function::Waitsome || function == Function::Testsome ? 3 : -1;
}

struct Context {
  Function function;
  void* const* places;
  int blocks;  // in arrays of datatypes
};

template <class T>
struct Argument {  // a number, or an argument that no note looks at
  Argument(const Context&, void* place) {
    if constexpr (std::is_integral_v<T>) value = *static_cast<T*>(place);
  }
  T value{};
};

template <class T>
  requires(!Converted<std::remove_const_t<T>> && !Converted<T*>)
struct Argument<T*> {
  Argument(const Context&, void* place) : value(static_cast<T*>(place)) {
    if constexpr (std::is_void_v<T>)
      if (place != nullptr && place == in_place_of_fortran())
        value = const_cast<void*>(static_cast<const void*>(MPI_IN_PLACE));
    if constexpr (std::is_same_v<T, MPI_Status>)
      if (ignores_status(place)) value = MPI_STATUS_IGNORE;
  }
  T* value;
};

template <Converted T>
struct Argument<T> {
  Argument(const Context&, void* place)
      : value(from_fortran(T{}, *static_cast<MPI_Fint*>(place))) {}
  T value;
};

template <class T>
  requires Converted<std::remove_const_t<T>>
struct Argument<T*> {  // one handle, or an array
  Argument(const Context& context, void* place) {
    const auto* integers = static_cast<const MPI_Fint*>(place);
    int count = std::is_same_v<std::remove_const_t<T>, MPI_Datatype> ? context.blocks : 1;
    if (std::is_same_v<std::remove_const_t<T>, MPI_Request> && lists_requests(context.function))
      count = *static_cast<const MPI_Fint*>(context.places[0]);
    for (int i = 0; i < count; ++i) handles.push_back(from_fortran(T{}, integers[i]));
    value = handles.data();
  }
  std::vector<std::remove_const_t<T>> handles;
  T* value = nullptr;
};

// Datatypes are an array where each block has its own.
template <class... Args>
constexpr bool has_types = (std::is_same_v<Args, const MPI_Datatype*> || ...);

// There are as many blocks as ranks, or as neighbours that data go to or come from.
template <class... Args>
int blocks_in([[maybe_unused]] void* const* places) {
  if constexpr (!has_types<Args...>) {
    return 1;
  } else {
    constexpr bool communicators[] = {std::is_same_v<Args, MPI_Comm>...};
    const std::size_t at = static_cast<std::size_t>(
        std::find(std::begin(communicators), std::end(communicators), true) -
        std::begin(communicators));
    const Comm& comm = recorder->comm_with_neighbors(
        from_fortran(MPI_Comm{}, *static_cast<MPI_Fint*>(places[at])));
    if (comm.sources.empty() && comm.destinations.empty()) return comm.num_peers;
    return static_cast<int>(std::min(comm.sources.size(), comm.destinations.size()));
  }
}

// ---- calls

void* find_fortran(Function function) {
  std::string name = "p";
  for (const char c : trace::function_names()[static_cast<std::size_t>(function)])
    name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  void* const found = dlsym(RTLD_NEXT, (name + "_").c_str());
  if (found != nullptr) return found;
  std::fprintf(stderr, "odonata profile: the program's MPI has no %s_\n", name.c_str());
  std::abort();
}

template <class T>
constexpr bool is_text = std::is_same_v<std::remove_cvref_t<std::remove_pointer_t<T>>, char>;

template <std::size_t>
using Place = void*;

template <Function function, class Signature, class Places>
struct FortranCall;

// Arguments, then the error, then the lengths of texts.
template <Function function, class... Args, std::size_t... i>
struct FortranCall<function, int(Args...), std::index_sequence<i...>> {
  static void call(Place<i>... given) {
    static void* const found = find_fortran(function);
    auto* const there = reinterpret_cast<void (*)(Place<i>...)>(found);
    if (recorder == nullptr || inside) return there(given...);
    void* places[] = {given...};
    inside = true;
    if (recorder->journal() != nullptr) {
      traced(there, places, std::index_sequence_for<Args...>{});
      inside = false;
      return;
    }
    before(places, std::index_sequence_for<Args...>{});
    const std::uint64_t began = ticks(counter);
    there(given...);
    const std::uint64_t ended = ticks(counter);
    if (recorder != nullptr) note(places, ended - began, ended, std::index_sequence_for<Args...>{});
    inside = false;
  }

 private:
  // The call with its records. Statuses that the program ignores become ours.
  template <std::size_t... a>
  static void traced(void (*there)(Place<i>...), void** places, std::index_sequence<a...> all) {
    Traced trace{*recorder, *recorder->journal(), {}, {}};
    if constexpr (Record<function>::records || NoteBefore<function>::notes) {
      const RecorderLock lock;
      const Context context{function, places, blocks_in<Args...>(places)};
      std::tuple<Argument<Args>...> arguments{Argument<Args>(context, places[a])...};
      NoteBefore<function>::before(*recorder, std::get<a>(arguments).value...);
      Record<function>::before(trace, std::get<a>(arguments).value...);
      (put_status<Args>(places[a], std::get<a>(arguments).value), ...);
    }
    const std::uint64_t began = ticks(counter);
    there(places[i]...);
    const std::uint64_t ended = ticks(counter);
    if (recorder == nullptr) return;
    note(places, ended - began, ended, all);
    const RecorderLock lock;
    trace.journal.enter(function, began, ended);
    if constexpr (Record<function>::records)
      if (*static_cast<MPI_Fint*>(places[sizeof...(Args)]) == MPI_SUCCESS) {
        const Context context{function, places, blocks_in<Args...>(places)};
        std::tuple<Argument<Args>...> arguments{Argument<Args>(context, places[a])...};
        std::vector<int> from_zero;
        if constexpr (constexpr int at = argument_of_places(function); at >= 0)
          std::get<at>(arguments).value = count_from_zero(places, from_zero);
        Record<function>::after(trace, std::get<a>(arguments).value...);
      }
    trace.journal.leave();
  }
  template <class Arg, class Value>
  static void put_status(void*& place, Value value) {
    if constexpr (std::is_same_v<Arg, MPI_Status*>)
      if (ignores_status(place) && value != MPI_STATUS_IGNORE) place = value;
  }
  static int* count_from_zero(void* const* places, std::vector<int>& to) {
    const auto* given = static_cast<const int*>(places[argument_of_places(function)]);
    const bool several = argument_of_places(function) == 3;
    const int count = several ? *static_cast<const int*>(places[2]) : 1;
    for (int at = 0; at < std::max(count, 0) && count != MPI_UNDEFINED; ++at)
      to.push_back(given[at] == MPI_UNDEFINED ? MPI_UNDEFINED : given[at] - 1);
    return to.data();
  }
  template <std::size_t... a>
  static void before(void* const* places, std::index_sequence<a...>) {
    if constexpr (NoteBefore<function>::notes) {
      const RecorderLock lock;
      const Context context{function, places, 1};
      NoteBefore<function>::before(*recorder, Argument<Args>(context, places[a]).value...);
    }
  }
  template <std::size_t... a>
  static void note(void* const* places, std::uint64_t time, std::uint64_t ended,
                   std::index_sequence<a...>) {
    const RecorderLock lock;
    recorder->tally().pass(ended);
    const bool good = *static_cast<MPI_Fint*>(places[sizeof...(Args)]) == MPI_SUCCESS;
    trace::Found found = trace::Found::unknown;
    if constexpr (constexpr int at = place_of_flag<function>; at >= 0)
      if (good)
        found = *static_cast<MPI_Fint*>(places[at]) == 0 ? trace::Found::flag_off
                                                         : trace::Found::flag_on;
    recorder->tally().call(static_cast<std::uint32_t>(function), found, time);
    if constexpr (Note<function>::notes)
      if (good) {
        const Context context{function, places, blocks_in<Args...>(places)};
        Note<function>::after(*recorder, Argument<Args>(context, places[a]).value...);
      }
  }
};

template <Function function, std::size_t... i>
struct FortranCall<function, double(), std::index_sequence<i...>> {
  static double call() { return Wrapped<function, double()>::call(); }
};

template <Function function, class Signature>
struct FortranOf;
template <Function function, class Result, class... Args>
struct FortranOf<function, Result(Args...)> {
  static constexpr std::size_t texts = (std::size_t{is_text<Args>} + ... + 0);
  using Call =
      FortranCall<function, Result(Args...), std::make_index_sequence<sizeof...(Args) + 1 + texts>>;
};

// ---- the start and the end

using Numbers = MPI_Fint*;

template <Function function, class Call>
void begin(Call call) {
  if (inside) return call();
  inside = true;
  const std::uint64_t began = ticks(counter);
  call();
  begin_recording(began);
  if (recorder != nullptr) {
    const std::uint64_t now = ticks(counter);
    recorder->tally().call(static_cast<std::uint32_t>(function), trace::Found::unknown,
                           now - began);
    recorder->tally().pass(now);
    if (recorder->journal() != nullptr) recorder->journal()->pass(function, began, now);
  }
  inside = false;
}

template <class... Args>
auto* real_fortran(Function function) {
  return reinterpret_cast<void (*)(Args...)>(find_fortran(function));
}

void init(Numbers error) {
  begin<Function::Init>([&] { real_fortran<Numbers>(Function::Init)(error); });
}

void init_thread(Numbers required, Numbers provided, Numbers error) {
  begin<Function::Init_thread>([&] {
    real_fortran<Numbers, Numbers, Numbers>(Function::Init_thread)(required, provided, error);
    threads_share = *provided == MPI_THREAD_MULTIPLE;
  });
}

}  // namespace

// In C these are MPI_Finalize, MPI_Abort and MPI_Pcontrol of start.cpp.
extern "C" {
int MPI_Finalize();
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Pcontrol(const int level, ...);
}

namespace {

void finalize(Numbers error) { *error = MPI_Finalize(); }
void abort_all(Numbers comm, Numbers code, Numbers error) {
  *error = MPI_Abort(ODONATA_REAL(Comm_f2c)(*comm), *code);
}
void pcontrol(Numbers level) { MPI_Pcontrol(*level); }

}  // namespace

// Names that compilers of Fortran and Open MPI's modules have for a function.
#define ODONATA_NAMES(lower, upper, address)                                                       \
  extern "C" {                                                                                     \
  [[gnu::visibility("hidden")]] auto odonata_resolve_fortran_##lower() -> void (*)();              \
  auto odonata_resolve_fortran_##lower() -> void (*)() {                                           \
    return reinterpret_cast<void (*)()>(address);                                                  \
  }                                                                                                \
  ODONATA_NAME(mpi_##lower, lower)                                                                 \
  ODONATA_NAME(mpi_##lower##_, lower)                                                              \
  ODONATA_NAME(mpi_##lower##__, lower)                                                             \
  ODONATA_NAME(pmpi_##lower##_, lower)                                                             \
  ODONATA_NAME(MPI_##upper, lower)                                                                 \
  ODONATA_NAME(ompi_##lower##_f, lower)                                                            \
  }
#define ODONATA_NAME(symbol, lower)                                                                \
  __attribute__((visibility("default"), ifunc("odonata_resolve_fortran_" #lower))) void symbol();
#define ODONATA_FORTRAN(lower, upper, name)                                                        \
  ODONATA_NAMES(lower, upper, (&FortranOf<Function::name, decltype(PMPI_##name)>::Call::call))

#include "profiled_fortran.inc"

ODONATA_NAMES(init, INIT, &init)
ODONATA_NAMES(init_thread, INIT_THREAD, &init_thread)
ODONATA_NAMES(finalize, FINALIZE, &finalize)
ODONATA_NAMES(abort, ABORT, &abort_all)
ODONATA_NAMES(pcontrol, PCONTROL, &pcontrol)
