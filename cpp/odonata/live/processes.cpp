#include "odonata/live/processes.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "odonata/live/futex.hpp"
#include "odonata/live/tagged_output.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::live {

namespace {

constexpr long milliseconds_ns = 1'000'000;
constexpr std::int64_t between_checks = 20;  // [ms]

std::int64_t now_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / milliseconds_ns;
}

void allow_more_processes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NPROC, &limit);
}

/// Everything that a new process needs before its program: made beforehand, since between vfork
/// and exec it shares our memory.
struct Start {
  const char* file;
  char** arguments;
  char** environment;
  int input, output, error;  // files; input -1: nothing
  bool own_group;
  sigset_t signals;          // blocked before
  pid_t parent;
  int failed = 0;            // errno
};

[[noreturn]] void become(Start& start) {
  // The kernel ends us with the simulator; if that has gone meanwhile, it would not.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.parent) _exit(1);
  if (start.own_group) setpgid(0, 0);
  const int input = start.input >= 0 ? start.input : ::open("/dev/null", O_RDONLY);
  // Files above the standard three first: one of those may be another's source.
  const int output = fcntl(start.output, F_DUPFD_CLOEXEC, 3);
  const int error = fcntl(start.error, F_DUPFD_CLOEXEC, 3);
  if (input != 0) dup2(input, 0);
  dup2(output, 1);
  dup2(error, 2);
  signal(SIGPIPE, SIG_DFL);  // Python ignores these two, which programs would inherit
  signal(SIGXFSZ, SIG_DFL);
  sigprocmask(SIG_SETMASK, &start.signals, nullptr);
  execve(start.file, start.arguments, start.environment);
  start.failed = errno;
  _exit(127);
}

__attribute__((noinline)) pid_t start_process(Start& start) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &start.signals);
  const pid_t id = vfork();
  if (id == 0) become(start);
  const int error = errno;
  sigprocmask(SIG_SETMASK, &start.signals, nullptr);
  errno = error;
  return id;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  const char* what = sigdescr_np(number);
  return "signal " + std::to_string(number) + (name == nullptr ? "" : std::string(" (SIG") + name) +
         (name == nullptr || what == nullptr ? "" : std::string(": ") + what) +
         (name == nullptr ? "" : ")");
}

}  // namespace

Processes::Processes(Memory& memory, ProcessOptions options)
    : memory_(memory), options_(std::move(options)), ranks_(at(memory.num_ranks())) {
  int ranks = 0;
  for (const Command& command : options_.commands) ranks += command.num_ranks;
  if (ranks != memory.num_ranks())
    throw InternalError("processes: the programs have another number of ranks than the run");
}

Processes::~Processes() { kill(); }

void Processes::start() {
  allow_more_processes();
  if (options_.tag_output) tagged_ = std::make_unique<TaggedOutput>();
  int rank = 0;
  for (std::size_t number = 0; number < options_.commands.size(); ++number) {
    Command command = options_.commands[number];
    command.environment.push_back(std::string(program_variable) + "=" + std::to_string(number));
    for (int i = 0; i < command.num_ranks; ++i) spawn(rank++, command);
  }
  if (tagged_) tagged_->start();
}

void Processes::spawn(int rank, const Command& command) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = command.environment;
  if (!options_.variables.empty()) {
    const std::vector<std::string>& own = options_.variables.at(at(rank));
    environment.insert(environment.end(), own.begin(), own.end());
  }
  environment.push_back(std::string(memory_variable) + "=" + memory_.path());
  environment.push_back(std::string(rank_variable) + "=" + std::to_string(rank));
  environment.push_back(std::string(host_variable) + "=" + node_name(memory_.header(), rank));
  std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  Start start{};
  start.file = command.file.c_str();
  start.arguments = argv.data();
  start.environment = envp.data();
  start.input = rank == 0 ? 0 : -1;
  start.output = tagged_ ? tagged_->open(rank, options_.output) : options_.output;
  start.error = tagged_ ? tagged_->open(rank, 2) : 2;
  // Who reads a terminal must be of the group that has it.
  start.own_group = rank != 0 || isatty(0) == 0;
  start.parent = getpid();
  Process& process = ranks_[at(rank)];
  const pid_t id = start_process(start);
  const int error = errno;
  if (tagged_) {
    close(start.output);
    close(start.error);
  }
  if (id < 0) {
    process.gone = true;
    throw UserError("rank " + std::to_string(rank) + " cannot be started: " + std::strerror(error) +
                    " (ulimit -u?)");
  }
  process.id = id;
  process.group = start.own_group ? id : 0;
  if (start.failed != 0)
    throw UserError(command.file + " cannot be executed: " + std::strerror(start.failed));
}

bool Processes::run(int, std::uint32_t seen, int milliseconds) {
  const timespec most{0, milliseconds * milliseconds_ns};
  futex_wait(memory_.header().simulator_bell, seen, &most);
  return true;
}

double Processes::processor_seconds(int rank) const {
  const pid_t process = memory_.area(rank).pid.load();
  clockid_t clock{};
  timespec used{};
  if (process <= 0 || clock_getcpuclockid(process, &clock) != 0) return -1;
  if (clock_gettime(clock, &used) != 0) return -1;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

void Processes::wake(int rank) { futex_wake(memory_.area(rank).bell); }

void Processes::check() {
  const std::int64_t now = now_milliseconds();
  if (now < next_check_) return;
  next_check_ = now + between_checks;
  for (int rank = 0; rank < memory_.num_ranks(); ++rank)
    if (!gone(rank) && reap(rank, false)) judge(rank);
}

// A process that has ended takes its whole group with it: nothing is left behind.
bool Processes::reap(int rank, bool wait) {
  Process& process = ranks_[at(rank)];
  siginfo_t info{};
  errno = 0;
  const int how = WEXITED | WNOWAIT | (wait ? 0 : WNOHANG);
  while (waitid(P_PID, static_cast<id_t>(process.id), &info, how) != 0)
    if (errno != EINTR) break;  // reaped elsewhere: nothing is known of its end
  if (info.si_pid == 0 && errno != ECHILD) return false;
  if (process.group != 0) ::kill(-process.group, SIGKILL);
  waitpid(process.id, &process.status, 0);
  process.gone = true;
  return true;
}

// Throws if a process ended as it should not.
void Processes::judge(int rank) {
  const RankArea& area = memory_.area(rank);
  const int status = ranks_[at(rank)].status;
  const std::string who =
      "rank " + std::to_string(rank) + " on " + node_name(memory_.header(), rank);
  const Stage stage = area.stage.load();
  if (stage == Stage::aborted) {
    const int code = area.exit_code.load();
    throw RankFailed(rank, (code & 255) != 0 ? code & 255 : 1,
                     who + " ended the run by MPI_Abort, code " + std::to_string(code), true);
  }
  if (WIFSIGNALED(status))
    throw RankFailed(rank, 128 + WTERMSIG(status),
                     who + " was ended by " + signal_name(WTERMSIG(status)));
  const int code = WEXITSTATUS(status);
  const std::string with = ", exit code " + std::to_string(code);
  if (stage == Stage::initialized)
    throw RankFailed(rank, code != 0 ? code : 1,
                     who + " ended without MPI_Finalize" + with + thread_hint(area));
  if (stage == Stage::started && code != 0)
    throw RankFailed(rank, code, who + " ended before MPI_Init" + with);
  if (code != 0 && exit_code_ == 0) exit_code_ = code;
}

bool Processes::all_gone() {
  while (first_alive_ < memory_.num_ranks() && gone(first_alive_)) ++first_alive_;
  return first_alive_ == memory_.num_ranks();
}

// Until the first process that still runs ends, or for a moment.
void Processes::pause() {
  siginfo_t info{};
  const auto id = static_cast<id_t>(ranks_[at(first_alive_)].id);
  waitid(P_PID, id, &info, WEXITED | WNOWAIT | WNOHANG);
  const timespec moment{0, milliseconds_ns};
  if (info.si_pid == 0) nanosleep(&moment, nullptr);
  next_check_ = 0;
}

void Processes::flush() {
  if (tagged_) tagged_->finish();
}

void Processes::kill() {
  memory_.header().ended.store(1);
  for (const Process& process : ranks_) {
    if (process.gone || process.id == 0) continue;
    if (process.group != 0) ::kill(-process.group, SIGKILL);
    ::kill(process.id, SIGKILL);
  }
  for (int rank = 0; rank < memory_.num_ranks(); ++rank)
    if (!gone(rank) && ranks_[at(rank)].id != 0) reap(rank, true);
  flush();
}

}  // namespace odonata::live
