#include "odonata/live/c_state.hpp"

#include <dlfcn.h>
#include <getopt.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* object);
extern "C" void __cxa_finalize(void* object);
// NOLINTEND(bugprone-reserved-identifier)

namespace odonata::live {

namespace {

// The functions of the C library have no argument that would say which.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
CState* state = nullptr;
pthread_t thread_of_fibers;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

// ---- random numbers

random_data& numbers() {
  if (!state->random) state->random = std::make_unique<CState::Random>();
  return state->random->data;
}

long next_random() {
  std::int32_t number = 0;
  random_r(&numbers(), &number);
  return number;
}

int next_rand() { return static_cast<int>(next_random()); }
void seed(unsigned value) { srandom_r(value, &numbers()); }

char* begin_random(unsigned value, char* words, std::size_t bytes) {
  auto* before = reinterpret_cast<char*>(&numbers().state[-1]);
  return initstate_r(value, words, bytes, &numbers()) == 0 ? before : nullptr;
}

char* set_random(char* words) {
  auto* before = reinterpret_cast<char*>(&numbers().state[-1]);
  return setstate_r(words, &numbers()) == 0 ? before : nullptr;
}

drand48_data& numbers48() {
  if (!state->random48) {
    state->random48 = std::make_unique<drand48_data>();
    std::memset(state->random48.get(), 0, sizeof(drand48_data));
  }
  return *state->random48;
}

template <auto function, class Number>
Number next48() {
  Number number = 0;
  function(&numbers48(), &number);
  return number;
}

template <auto function, class Number>
Number next48_of(unsigned short* words) {
  Number number = 0;
  function(words, &numbers48(), &number);
  return number;
}

void seed48_by_long(long value) { srand48_r(value, &numbers48()); }

unsigned short* seed48_by_words(unsigned short* words) {
  seed48_r(words, &numbers48());
  return numbers48().__old_x;
}

void seed48_all(unsigned short* words) { lcong48_r(words, &numbers48()); }

// ---- words

char* next_token(char* text, const char* between) { return strtok_r(text, between, &state->token); }

// ---- keys of threads

// Each fiber makes its own keys: more than the C library has.
constexpr pthread_key_t first_key = 1U << 20U;

std::vector<void*>& specific() {
  static thread_local std::vector<void*> of_another_thread;
  return pthread_equal(pthread_self(), thread_of_fibers) != 0 ? state->specific : of_another_thread;
}

int make_key(pthread_key_t* key, void (*)(void*)) {
  *key = first_key + static_cast<pthread_key_t>(state->specific.size());
  state->specific.push_back(nullptr);
  return 0;
}

int end_key(pthread_key_t key) { return key < first_key ? pthread_key_delete(key) : 0; }

void* get_specific(pthread_key_t key) {
  if (key < first_key) return pthread_getspecific(key);
  const std::vector<void*>& values = specific();
  return key - first_key < values.size() ? values[key - first_key] : nullptr;
}

int set_specific(pthread_key_t key, const void* value) {
  if (key < first_key) return pthread_setspecific(key, value);
  std::vector<void*>& values = specific();
  values.resize(std::max<std::size_t>(values.size(), key - first_key + 1));
  values[key - first_key] = const_cast<void*>(value);
  return 0;
}

// ---- threads

int start_thread(pthread_t* thread, const pthread_attr_t* how, void* (*function)(void*),
                 void* argument) {
  state->had_threads = true;
  return pthread_create(thread, how, function, argument);
}

// The start of a std::thread in its library, with its object, its state and a function.
constexpr const char* start_of_cpp =
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";

void start_thread_of_cpp(void* thread, void* run, void* depends) {
  using Start = void (*)(void*, void*, void*);
  static const auto start = reinterpret_cast<Start>(dlsym(RTLD_DEFAULT, start_of_cpp));
  state->had_threads = true;
  start(thread, run, depends);
}

// ---- the end

int at_end(void (*function)(void*), void* argument, void* object) {
  state->last.push_back({function, argument, object, false});
  return 0;
}

int at_end_of_thread(void (*function)(void*), void* argument, void* object) {
  if (pthread_equal(pthread_self(), thread_of_fibers) == 0)
    return __cxa_thread_atexit_impl(function, argument, object);
  state->last.push_back({function, argument, object, true});
  return 0;
}

using WithCode = void (*)(int, void*);

struct Called {
  WithCode function;
  void* argument;
};

void call_with_code(void* data) {
  const std::unique_ptr<Called> called(static_cast<Called*>(data));
  called->function(state->code, called->argument);
}

int at_end_with_code(WithCode function, void* argument) {
  return at_end(&call_with_code, new Called{function, argument}, nullptr);
}

// ---- getopt()

/// The state that getopt() hides.
struct Options {
  int place, errors, unknown;
  char* argument;
  int initialized;
  char* next;
  int order, first_other, last_other;
};

int find_next(dl_phdr_info* info, std::size_t, void* data) {
  if (std::string_view(info->dlpi_name).find("libc.so") == std::string_view::npos) return 0;
  auto& [wanted, found] = *static_cast<std::pair<char*, std::byte*>*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    auto* start = reinterpret_cast<std::byte*>(info->dlpi_addr + segment.p_vaddr);
    for (std::size_t at = 0; at + sizeof wanted <= segment.p_memsz; at += alignof(char*))
      if (std::memcmp(start + at, static_cast<const void*>(&wanted), sizeof wanted) == 0)
        found = start + at;
  }
  return 1;
}

// Begins to read options that tell where the state is.
Options* hidden_options() {
  std::string name = "odonata", options = "-ab";
  std::array<char*, 3> words{name.data(), options.data(), nullptr};
  optind = 0;
  getopt(2, words.data(), "ab");
  std::pair<char*, std::byte*> next{options.data() + 2, nullptr};
  dl_iterate_phdr(&find_next, &next);
  auto* found = next.second == nullptr
                    ? nullptr
                    : reinterpret_cast<Options*>(next.second - offsetof(Options, next));
  const bool right = found != nullptr && found->place == optind && found->initialized == 1;
  optind = 1;
  optopt = '?';
  optarg = nullptr;
  if (!right) return nullptr;
  *found = {1, 1, '?', nullptr, 0, nullptr, 0, 0, 0};
  return found;
}

template <class Variable>
Piece piece_of(Variable& variable) {
  auto* place = reinterpret_cast<std::byte*>(&variable);
  return {place, sizeof variable, {place, place + sizeof variable}};
}

}  // namespace

std::vector<Redirection> c_functions() {
  const auto to = [](auto* function) { return reinterpret_cast<void*>(function); };
  void* random = to(&next_random);
  return {
      {"rand", to(&next_rand)},
      {"srand", to(&seed)},
      {"random", random},
      {"srandom", to(&seed)},
      {"initstate", to(&begin_random)},
      {"setstate", to(&set_random)},
      {"drand48", to(&next48<drand48_r, double>)},
      {"lrand48", to(&next48<lrand48_r, long>)},
      {"mrand48", to(&next48<mrand48_r, long>)},
      {"erand48", to(&next48_of<erand48_r, double>)},
      {"nrand48", to(&next48_of<nrand48_r, long>)},
      {"jrand48", to(&next48_of<jrand48_r, long>)},
      {"srand48", to(&seed48_by_long)},
      {"seed48", to(&seed48_by_words)},
      {"lcong48", to(&seed48_all)},
      {"strtok", to(&next_token)},
      {"pthread_key_create", to(&make_key)},
      {"__pthread_key_create", to(&make_key)},
      {"pthread_key_delete", to(&end_key)},
      {"pthread_getspecific", to(&get_specific)},
      {"pthread_setspecific", to(&set_specific)},
      {"pthread_create", to(&start_thread)},
      {start_of_cpp, to(&start_thread_of_cpp)},
      {"__cxa_atexit", to(&at_end)},
      {"__cxa_thread_atexit", to(&at_end_of_thread)},
      {"__cxa_thread_atexit_impl", to(&at_end_of_thread)},
      {"__cxa_finalize", to(&finalize)},
      {"on_exit", to(&at_end_with_code)},
  };
}

std::vector<Piece> c_variables() {
  Options* hidden = hidden_options();
  std::vector<Piece> pieces{piece_of(optind), piece_of(opterr), piece_of(optopt), piece_of(optarg)};
  if (hidden != nullptr) pieces.push_back(piece_of(*hidden));
  return pieces;
}

CState& running_state() { return *state; }

void use_c_state(CState& used) {
  state = &used;
  thread_of_fibers = pthread_self();
}

void finalize(const void* object) {
  if (state->adopted) __cxa_finalize(const_cast<void*>(object));
}

// A function may ask for others, and may end the fiber.
void call_last(CState& ending, int code) {
  ending.code = code;
  for (const bool of_thread : {true, false}) {
    for (;;) {
      const auto found = std::find_if(ending.last.rbegin(), ending.last.rend(),
                                      [&](const auto& one) { return one.of_thread == of_thread; });
      if (found == ending.last.rend()) break;
      const CState::Last last = *found;
      ending.last.erase(std::next(found).base());
      last.function(last.argument);
    }
  }
}

}  // namespace odonata::live
