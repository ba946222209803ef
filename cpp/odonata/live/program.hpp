// The program of fibers: a shared object with a main(). Each fiber has its own variables of the
// program and its libraries.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "odonata/live/c_state.hpp"
#include "odonata/live/objects.hpp"
#include "odonata/live/streams.hpp"
#include "odonata/live/variables.hpp"

namespace odonata::live {

/// One of our libraries, which is there before the program.
struct StandIn {
  std::string path;
  std::vector<std::string> names;  // by which the program, or a library of it, needs it besides
  bool first = false;              // its functions come before the program's libraries
};

struct ProgramOptions {
  std::string path;                // shared object with a main()
  std::vector<StandIn> libraries;  // of MPI; the first one has the functions of C
  std::string names_template;      // library that is copied to give a library another name
  bool shared = false;             // do all fibers share its variables?
  // Variables of the environment of each fiber besides ours, "NAME=value"; "NAME" is hidden.
  std::vector<std::vector<std::string>> environments = {};
};

class Program {
 public:
  using Main = int (*)(int, char**, char**);

  /// Loads the libraries and the program. Throws UserError.
  Program(ProgramOptions options, int num_fibers);
  /// Unloads the program, unless fibers have not ended.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] void* handle() const { return program_; }
  [[nodiscard]] void* library() const { return library_; }
  [[nodiscard]] Main main() const { return main_; }

  /// Gives each fiber its own variables. The program calls these functions then, and others that
  /// work on the state of the fiber that runs.
  void separate(std::vector<Redirection> functions);
  /// Puts the variables of a fiber in place before it takes its turn.
  void show(int fiber) {
    if (!variables_) return;
    variables_->show(fiber);
    use_c_state(states_[static_cast<std::size_t>(fiber)]);
    streams_->use(fiber);
  }
  /// Ends a turn.
  void hide() {
    if (streams_) streams_->leave();
  }
  /// Within a fiber, before main(): other steps at the start of a process.
  void begin(int fiber, int count, char** arguments, char** environment);
  /// Within a fiber, after main() or exit(): other steps at the exit of a process.
  void end(int fiber, int code);
  /// Gives the memory of a fiber back that has ended.
  void forget(int fiber);
  /// Libraries that the program has loaded since it started, and whose variables all share.
  [[nodiscard]] std::vector<std::string> late_libraries() const;
  /// Has the program, besides libraries for threads, started threads?
  [[nodiscard]] bool had_threads() const {
    return std::ranges::any_of(states_, &CState::had_threads);
  }

 private:
  using First = void (*)(int, char**, char**);
  using Last = void (*)();
  /// Functions of an object that run when it is loaded and unloaded.
  struct Ends {
    std::vector<First> first;
    std::vector<Last> last;
    const void* handle = nullptr;  // by which the C library knows the object
  };

  [[nodiscard]] int spare() const { return num_fibers_; }  // fiber that never runs
  void load_libraries();
  void load_program();
  [[nodiscard]] int binding_after(const char* error) const;
  void refuse_other_mpi() const;
  void separate(const link_map& one);
  [[nodiscard]] static Ends ends_of(const Object& object);
  /// Objects of programs that were stopped and that are still in memory.
  static std::map<const link_map*, Ends>& left_behind();

  ProgramOptions options_;
  int num_fibers_;
  int num_ended_ = 0;
  void* library_ = nullptr;
  void* program_ = nullptr;
  Main main_ = nullptr;
  std::vector<const link_map*> before_;   // objects that were there before the program
  std::vector<const link_map*> present_;  // objects that are there when fibers start
  std::vector<const link_map*> order_;    // objects of the program, those first that need others
  std::map<const link_map*, Ends> objects_;
  int adopter_ = -1;  // fiber for which the dynamic linker has run constructors
  std::vector<CState> states_;
  std::unique_ptr<Streams> streams_;
  std::unique_ptr<Variables> variables_;
};

}  // namespace odonata::live
