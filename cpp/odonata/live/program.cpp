#include "odonata/live/program.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>

#include "odonata/live/mpi_libraries.hpp"
#include "odonata/live/pristine.hpp"
#include "odonata/live/stand_in.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::live {

namespace {

// Libraries for computers, languages and threads: their variables belong to the process. Threads
// of theirs may use them at any time.
constexpr std::string_view of_the_process[] = {
    "libc.",        "libm.",        "libmvec.",    "libdl.",      "librt.",      "libpthread.",
    "libresolv.",   "libutil.",     "libnss_",     "libcrypt.",   "ld-linux",    "libstdc++.",
    "libc++.",      "libc++abi.",   "libgcc_s.",   "libunwind.",  "libatomic.",  "libquadmath.",
    "libgomp.",     "libomp.",      "libiomp",     "libtbb",      "libopenblas", "libmkl_",
    "libblis.",     "libflexiblas", "libnuma.",    "libhwloc.",   "libudev.",    "libevent",
    "libopen-pal.", "libopen-rte.", "libpmix.",    "libucm.",     "libucp.",     "libucs.",
    "libuct.",      "libfabric.",   "libibverbs.", "librdmacm.",  "libcuda",     "libcublas",
    "libnvidia",    "libamdhip",    "libhsa-",     "libOpenCL.",  "libasan.",    "libtsan.",
    "libubsan.",    "liblsan.",     "libjemalloc", "libtcmalloc", "libpython",   "libodonata",
    "linux-vdso",   "libpapi.",     "libpfm."};

bool belongs_to_process(std::string_view name) {
  if (name.empty() || mpi_library(name.data()) != nullptr) return true;
  return std::ranges::any_of(of_the_process,
                             [&](std::string_view one) { return name.starts_with(one); });
}

bool calls_mpi(const Object& object) {
  return std::ranges::any_of(object.needed,
                             [](const char* name) { return mpi_library(name) != nullptr; });
}

bool contains(const std::vector<const link_map*>& objects, const link_map* one) {
  return std::ranges::find(objects, one) != objects.end();
}

void* load(const std::string& path, int how) {
  void* loaded = dlopen(path.c_str(), how);
  if (loaded != nullptr) return loaded;
  const char* why = dlerror();
  throw UserError(std::string(why == nullptr ? path.c_str() : why) +
                  " (as fibers, a program must be a shared object: cc -shared -fPIC)");
}

// The program's library with the code of Fortran's modules may call functions that ours has not.
void* load_first(const std::string& path) {
  void* loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  return loaded != nullptr ? loaded : load(path, RTLD_LAZY | RTLD_GLOBAL);
}

template <class Function>
Function function_at(const void* place) {
  return reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(place));
}

void nothing() {}

// The dynamic linker calls nothing when it unloads the object.
void disarm(const Object& object) {
  const ElfW(Xword) none = 0;
  if (auto* bytes = object.entry(DT_FINI_ARRAYSZ))
    overwrite(&bytes->d_un.d_val, &none, sizeof none);
  const ElfW(Addr) harmless = reinterpret_cast<ElfW(Addr)>(&nothing) - object.map()->l_addr;
  if (auto* last = object.entry(DT_FINI)) overwrite(&last->d_un.d_ptr, &harmless, sizeof harmless);
}

// By this address the C library knows who has asked for a call at the end: a variable that points
// at itself.
const void* handle_of(const Object& object) {
  for (const Object::Relocation& entry : object.data)
    if (ELF64_R_SYM(entry.r_info) == 0 && static_cast<ElfW(Addr)>(entry.r_addend) == entry.r_offset)
      return object.at(entry.r_offset);
  return nullptr;
}

}  // namespace

// ---- loading

Program::Program(ProgramOptions options, int num_fibers)
    : options_(std::move(options)), num_fibers_(num_fibers), before_(all_objects()) {
  load_libraries();
  load_program();
  refuse_other_mpi();
  main_ = function_at<Main>(dlsym(program_, "main"));
  if (main_ == nullptr) throw UserError(options_.path + ": has no main()");
}

// Initial contents are in place at the end: the dynamic linker keeps some objects for ever, and may
// find them again.
Program::~Program() {
  if (variables_) variables_->show(spare());
  streams_.reset();
  if (program_ == nullptr) return;
  // The memory of a program that was stopped in the middle is never used again.
  if (num_ended_ == num_fibers_) dlclose(program_);
  const std::vector<const link_map*> still_there = all_objects();
  for (const auto& [object, ends] : objects_)
    if (contains(still_there, object)) left_behind().insert_or_assign(object, ends);
}

// Libraries of its MPI may call functions that ours has not, as long as the program calls nothing
// of it.
int Program::binding_after(const char* error) const {
  const bool of_another = error != nullptr && std::strstr(error, "undefined symbol") != nullptr &&
                          !std::string_view(error).starts_with(options_.path);
  return of_another ? RTLD_LAZY : RTLD_NOW;
}

// Libraries of MPI are there first, so that the program's names lead to them. Symbols of the
// program are looked up in the order of its libraries, so that a profiler before MPI comes first.
// MPI is then global, so that a profiler of LD_PRELOAD finds it.
void Program::load_libraries() {
  for (const StandIn& library : options_.libraries) {
    void* loaded =
        library.first ? load_first(library.path) : load(library.path, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) library_ = loaded;
    for (const std::string& name : library.names)
      load_by_name(options_.names_template, name, library.path);
  }
}

void Program::load_program() {
  program_ = dlopen(options_.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  load(options_.libraries.front().path, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  if (program_ == nullptr) program_ = dlopen(options_.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (program_ == nullptr) program_ = load(options_.path, binding_after(dlerror()) | RTLD_LOCAL);
  std::fflush(stdout);  // output of constructors
  for (const StandIn& library : options_.libraries) {
    if (&library == &options_.libraries.front() || library.first) continue;
    if (void* loaded = dlopen(library.path.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
      share_data(Object(*object_of(loaded)), program_);
      dlclose(loaded);
    }
  }
}

void Program::refuse_other_mpi() const {
  for (const link_map* one : all_objects()) {
    if (contains(before_, one)) continue;
    const std::string path = one->l_name;
    const MpiLibrary* known = mpi_library(path.c_str() + path.rfind('/') + 1);
    if (known == nullptr || known->role == Role::stays || known->role == Role::modules) continue;
    if (std::ranges::none_of(options_.libraries,
                             [&](const StandIn& ours) { return ours.path == path; }))
      throw UserError("fibers: the program loads the MPI " + path +
                      " by its path, ours cannot take its place (link it by its name)");
  }
}

// ---- variables

std::map<const link_map*, Program::Ends>& Program::left_behind() {
  static std::map<const link_map*, Ends> objects;
  return objects;
}

void Program::separate(std::vector<Redirection> functions) {
  if (options_.shared) return;
  variables_ = std::make_unique<Variables>(num_fibers_ + 1);
  streams_ = std::make_unique<Streams>(num_fibers_);
  states_.resize(static_cast<std::size_t>(num_fibers_));
  adopter_ = 0;
  present_ = all_objects();
  for (const auto& more : {c_functions(), environment_functions(), Streams::functions()})
    std::ranges::copy(more, std::back_inserter(functions));
  for (std::size_t i = 0; i < options_.environments.size(); ++i)
    states_.at(i).environment.given = std::move(options_.environments[i]);
  for (const link_map* one : closure(*object_of(program_))) {
    const bool known = left_behind().contains(one);
    const Object object(*one);
    const bool others = belongs_to_process(object.name()) && !calls_mpi(object);
    if (others || (contains(before_, one) && !known)) continue;
    if (known) adopter_ = -1;  // constructors have not run again
    redirect_one(object, functions);
    separate(*one);
  }
  for (Piece& piece : c_variables()) variables_->add(std::move(piece));
  for (Piece& piece : streams_->variables(program_)) variables_->add(std::move(piece));
  if (adopter_ < 0) return;
  variables_->adopt(adopter_);
  states_.front().adopted = true;
}

void Program::separate(const link_map& one) {
  const Object object(one);
  const auto known = left_behind().extract(&one);
  objects_[&one] = known.empty() ? ends_of(object) : known.mapped();
  order_.push_back(&one);
  disarm(object);
  for (Piece& piece : pristine_variables(object)) variables_->add(std::move(piece));
  Piece of_thread = pristine_thread_variables(object);
  if (of_thread.bytes > 0) variables_->add(std::move(of_thread));
}

Program::Ends Program::ends_of(const Object& object) {
  Ends ends;
  const auto is_function = [](ElfW(Addr) place) { return place != 0 && ~place != 0; };
  if (const auto* one = object.entry(DT_INIT))
    ends.first.push_back(function_at<First>(object.at(one->d_un.d_ptr)));
  for (const ElfW(Addr) place : object.table<const ElfW(Addr)>(DT_INIT_ARRAY, DT_INIT_ARRAYSZ))
    if (is_function(place)) ends.first.push_back(reinterpret_cast<First>(place));
  for (const ElfW(Addr) place : object.table<const ElfW(Addr)>(DT_FINI_ARRAY, DT_FINI_ARRAYSZ))
    if (is_function(place)) ends.last.push_back(reinterpret_cast<Last>(place));
  std::ranges::reverse(ends.last);
  if (const auto* one = object.entry(DT_FINI))
    ends.last.push_back(function_at<Last>(object.at(one->d_un.d_ptr)));
  ends.handle = handle_of(object);
  return ends;
}

// ---- beginning and end of a fiber

void Program::begin(int fiber, int count, char** arguments, char** environment) {
  if (!variables_ || fiber == adopter_) return;
  for (auto one = order_.rbegin(); one != order_.rend(); ++one)
    for (const First function : objects_.at(*one).first) function(count, arguments, environment);
}

void Program::end(int fiber, int code) {
  if (!variables_) return;
  CState& state = states_[static_cast<std::size_t>(fiber)];
  call_last(state, code);
  for (const link_map* one : order_)
    if (state.adopted && objects_.at(one).handle != nullptr) finalize(objects_.at(one).handle);
  for (const link_map* one : order_)
    for (const Last function : objects_.at(one).last) function();
  streams_->flush(fiber);
}

void Program::forget(int fiber) {
  ++num_ended_;
  if (variables_) variables_->forget(fiber);
}

std::vector<std::string> Program::late_libraries() const {
  std::vector<std::string> names;
  if (!variables_) return names;
  for (const link_map* one : all_objects()) {
    const std::string path = one->l_name;
    const std::string name = path.substr(path.rfind('/') + 1);
    if (!contains(before_, one) && !contains(present_, one) && !belongs_to_process(name))
      names.push_back(name);
  }
  return names;
}

}  // namespace odonata::live
