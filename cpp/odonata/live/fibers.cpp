#include "odonata/live/fibers.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "odonata/live/guards.hpp"
#include "odonata/live/redirect.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::live {

namespace {

constexpr std::size_t least_stack = 32 << 10, most_stack = std::size_t{1} << 30;
constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int between_looks = 64;  // switches after which the clock is read

// Handlers of signals find nothing else.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
FiberHost* active = nullptr;
std::array<struct sigaction, crash_signals.size()> handlers_before;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

using Clock = std::chrono::steady_clock;

}  // namespace

FiberHost::FiberHost(Memory& memory, FiberOptions options)
    : memory_(memory),
      options_(std::move(options)),
      fibers_(at(memory.num_ranks())),
      ready_(memory.num_ranks()) {
  if (options_.stack_bytes < least_stack || options_.stack_bytes > most_stack)
    throw UserError("stack: out of range", options_.stack_bytes, "32 KiB to 1 GiB");
  options_.stack_bytes = (options_.stack_bytes + guard_bytes - 1) / guard_bytes * guard_bytes;
  if (active != nullptr) throw UserError("fibers: another run has not ended yet");
  active = this;
}

FiberHost::~FiberHost() {
  for (std::size_t i = 0; i < crash_signals.size() && !signal_stack_.empty(); ++i)
    sigaction(crash_signals[i], &handlers_before[i], nullptr);
  if (!signal_stack_.empty()) {
    const stack_t none{nullptr, SS_DISABLE, 0};
    sigaltstack(&none, nullptr);
  }
  if (stacks_ != nullptr) munmap(stacks_, fibers_.size() * (options_.stack_bytes + guard_bytes));
  if (clocks_ != nullptr)
    reinterpret_cast<void (*)(const void*)>(dlsym(clocks_, "odonata_clocks_use"))(nullptr);
  program_.reset();
  if (attach_ != nullptr) attach_(nullptr);
  active = nullptr;
}

// ---- start

void FiberHost::start() {
  calls_ = {memory_.start(), &current_, &sleep_current, &yield_current, &wake_rank};
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a line is out when it ends
  const std::string library = options_.program.libraries.front().path;
  program_ = std::make_unique<Program>(std::move(options_.program), memory_.num_ranks());
  attach_ = reinterpret_cast<Attach>(dlsym(program_->library(), "odonata_attach_fibers"));
  if (attach_ == nullptr) throw UserError(library + ": does not host ranks as fibers");
  if (!options_.clocks.empty()) simulate_clocks();
  program_->separate({{"sigaction", reinterpret_cast<void*>(&set_action)},
                      {"signal", reinterpret_cast<void*>(&set_handler)}});
  attach_(&calls_);
  make_stacks();
  watch_crashes();
  on_exit(&at_exit, nullptr);
}

// The C library was there before the program, so the program has found its clocks.
void FiberHost::simulate_clocks() {
  clocks_ = dlopen(options_.clocks.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (clocks_ == nullptr) throw UserError(options_.clocks + ": cannot be loaded");
  const auto* name = static_cast<const char* const*>(dlsym(clocks_, "odonata_clocks_functions"));
  std::vector<Redirection> functions;
  for (; name != nullptr && *name != nullptr; ++name)
    functions.push_back({*name, dlsym(clocks_, *name)});
  redirect(program_->handle(), functions);
}

// guard page | stack | guard page | stack | ...   (the last ones without guards, if these are dear)
void FiberHost::make_stacks() {
  const std::size_t each = options_.stack_bytes + guard_bytes;
  void* start = mmap(nullptr, fibers_.size() * each, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (start == MAP_FAILED) throw UserError("no memory for the stacks of so many fibers");
  stacks_ = static_cast<std::byte*>(start);
  madvise(start, fibers_.size() * each, MADV_NOHUGEPAGE);
  const Guarding how = best_guarding(stacks_);
  const std::size_t mappings = how == Guarding::marks ? 0 : affordable_mappings();
  num_guarded_ = static_cast<int>(guard(stacks_, each, fibers_.size(), how, mappings));
  for (int rank = 0; rank < memory_.num_ranks(); ++rank) {
    Fiber& fiber = fibers_[at(rank)];
    fiber.arguments = options_.arguments;
    for (std::string& argument : fiber.arguments) fiber.pointers.push_back(argument.data());
    fiber.pointers.push_back(nullptr);
    prepare(fiber.context, stack(rank), options_.stack_bytes, &enter);
    ready_.add(rank);
  }
}

std::byte* FiberHost::stack(int rank) const {
  return stacks_ + at(rank) * (options_.stack_bytes + guard_bytes) + guard_bytes;
}

// ---- switching

// In turn, even if another rank is wanted: so there are many messages for a rank when its turn
// comes, and it goes far at once. Its data are in the cache only then.
bool FiberHost::run(int wanted, std::uint32_t, int milliseconds) {
  const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  bell_ = false;
  for (int switches = 1; !bell_ && !failed_; ++switches) {
    const int rank = ready_.take();
    if (rank < 0) return false;
    switch_to(rank);
    if (fibers_[at(wanted)].done) return true;
    if (switches % between_looks == 0 && Clock::now() > until) return true;
  }
  return true;
}

void FiberHost::switch_to(int rank) {
  Fiber& fiber = fibers_[at(rank)];
  auto* exceptions = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
  exceptions_ = std::exchange(*exceptions, fiber.exceptions);
  errno = fiber.error_number;
  current_ = rank;
  program_->show(rank);
  switch_context(scheduler_, fiber.context);
  program_->hide();
  current_ = -1;
  fiber.error_number = errno;
  fiber.exceptions = std::exchange(*exceptions, exceptions_);
  if (!fiber.done) return;
  madvise(stack(rank), options_.stack_bytes, MADV_DONTNEED);
  program_->forget(rank);
}

void FiberHost::suspend() { switch_context(fibers_[at(current_)].context, scheduler_); }

void FiberHost::sleep_current() {
  FiberHost& host = *active;
  const int rank = host.current_;
  const RankArea& area = host.memory_.area(rank);
  if (area.stage.load() == Stage::aborted) host.judge(rank, area.exit_code.load());
  if (area.sleeping.load() == 0 && area.stage.load() != Stage::aborted) return;  // woken already
  host.suspend();
}

void FiberHost::yield_current() {
  active->wake(active->current_);
  active->suspend();
}

void FiberHost::wake_rank(std::int32_t rank) {
  if (rank == active->memory_.num_ranks())
    active->bell_ = true;
  else
    active->wake(rank);
}

void FiberHost::wake(int rank) {
  if (!fibers_[at(rank)].done) ready_.add(rank);
}

// ---- beginning and end of a rank

void FiberHost::enter() {
  FiberHost& host = *active;
  Fiber& fiber = host.fibers_[at(host.current_)];
  const auto count = static_cast<int>(fiber.arguments.size());
  int code = 70;
  try {
    host.program_->begin(host.current_, count, fiber.pointers.data(), environ);
    code = host.program_->main()(count, fiber.pointers.data(), environ);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", host.current_, error.what());
  } catch (...) {
    std::fprintf(stderr, "rank %d: an exception that nothing caught\n", host.current_);
  }
  host.leave(code);
}

// exit() within a fiber ends the rank, not us: handlers run before all else that it does. The C
// library has forgotten this handler when it calls it.
void FiberHost::at_exit(int code, void*) {
  if (active == nullptr || active->current_ < 0) return;
  on_exit(&at_exit, nullptr);
  active->leave(code);
}

void FiberHost::leave(int code) {
  const int rank = current_;
  program_->end(rank, code);
  fibers_[at(rank)].done = true;
  ++num_done_;
  judge(rank, code);
  for (;;) suspend();
}

void FiberHost::judge(int rank, int code) {
  if (failed_) return;
  const RankArea& area = memory_.area(rank);
  const Stage stage = area.stage.load();
  const std::string who = "rank " + std::to_string(rank);
  const std::string with = ", exit code " + std::to_string(code);
  const int status = (code & 255) != 0 ? code & 255 : 1;
  if (stage == Stage::aborted)
    failed_ = std::make_unique<RankFailed>(
        rank, status, who + " ended the run by MPI_Abort, code " + std::to_string(code), true);
  else if (stage == Stage::initialized)
    failed_ = std::make_unique<RankFailed>(
        rank, status, who + " ended without MPI_Finalize" + with + thread_hint(area));
  else if (stage == Stage::started && code != 0)
    failed_ = std::make_unique<RankFailed>(rank, status, who + " ended before MPI_Init" + with);
  else if (code != 0 && exit_code_ == 0)
    exit_code_ = code & 255;
}

std::vector<std::string> FiberHost::late_libraries() const {
  return program_ ? program_->late_libraries() : std::vector<std::string>{};
}

void FiberHost::check() {
  if (failed_) throw RankFailed(*failed_);
}

void FiberHost::finish() {
  while (num_done_ < memory_.num_ranks()) {
    const int rank = ready_.take();
    if (rank < 0) throw InternalError("fibers: ranks sleep after the end of the run");
    switch_to(rank);
    check();
  }
  std::fflush(nullptr);
  require_mpi(memory_);
}

// ---- crashes

void FiberHost::watch_crashes() {
  signal_stack_.resize(64 << 10);
  const stack_t own{signal_stack_.data(), 0, signal_stack_.size()};
  sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_sigaction = &crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < crash_signals.size(); ++i)
    sigaction(crash_signals[i], &action, &handlers_before[i]);
}

// A program that gives a crash back to the system, as Fortran's library does after it has told
// where it was, gives it back to us.
int FiberHost::set_action(int number, const struct sigaction* action, struct sigaction* before) {
  struct sigaction ours{};
  ours.sa_sigaction = &crashed;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  const bool given_back = action != nullptr && (action->sa_flags & SA_SIGINFO) == 0 &&
                          action->sa_handler == SIG_DFL &&
                          std::ranges::find(crash_signals, number) != crash_signals.end();
  return sigaction(number, given_back ? &ours : action, before);
}

sighandler_t FiberHost::set_handler(int number, sighandler_t handler) {
  struct sigaction action{}, before{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  if (set_action(number, &action, &before) != 0) return SIG_ERR;
  return (before.sa_flags & SA_SIGINFO) != 0 ? SIG_DFL : before.sa_handler;
}

// The process has been damaged by the program: one line, and an end.
void FiberHost::crashed(int number, siginfo_t* info, void*) {
  if (active == nullptr || active->current_ < 0) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  const int rank = active->current_;
  const auto* place = static_cast<const std::byte*>(info->si_addr);
  const std::byte* stack = active->stack(rank);
  const bool full = number == SIGSEGV && place >= stack - guard_bytes && place < stack;
  std::array<char, 200> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "odonata: rank %d was ended by signal %d (SIG%s)%s\n", rank, number,
      sigabbrev_np(number), full ? ": its stack is full, --stack gives it more" : "");
  if (write(2, text.data(), static_cast<std::size_t>(length)) < 0) _exit(1);
  _exit(128 + number);
}

}  // namespace odonata::live
