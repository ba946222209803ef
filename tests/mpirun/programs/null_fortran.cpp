// Each call of an entry point for Fortran has a null pointer in the place of one argument, which is
// read or written before C looks at it. The lists come from the library itself, and one by hand.
#include ODONATA_ABI_HEADER

#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

using Entry = void (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                       void*, void*, void*, void*, void*);

alignas(16) int ones[1024];
int world = WORLD;
int number, accepted;

void call(Entry entry, const char* name, const std::vector<void*>& places, int at) {
  int error = MPI_SUCCESS, error_class = MPI_SUCCESS;
  void* all[16] = {};
  for (void*& place : all) place = reinterpret_cast<void*>(8);  // lengths of texts
  std::memcpy(all, places.data(), places.size() * sizeof(void*));
  all[places.size()] = &error;
  all[at] = nullptr;
  for (int& one : ones) one = 1;
  entry(all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7], all[8], all[9], all[10],
        all[11], all[12], all[13], all[14], all[15]);
  if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
  ++number;
  if (error_class == MPI_ERR_ARG) return;
  ++accepted;
  std::printf("mpi_%s, argument %d: class %d\n", name, at + 1, error_class);
}

// ---- arguments that are converted by their types

#ifdef OPEN_MPI
template <class T>
constexpr bool handle =
    std::is_same_v<T, MPI_Comm> || std::is_same_v<T, MPI_Datatype> || std::is_same_v<T, MPI_Op> ||
    std::is_same_v<T, MPI_Errhandler> || std::is_same_v<T, MPI_Group> ||
    std::is_same_v<T, MPI_Info> || std::is_same_v<T, MPI_Message> || std::is_same_v<T, MPI_Request>;
#else
template <class T>
constexpr bool handle = false;
#endif
template <class T>
constexpr bool looked_at = !std::is_pointer_v<T> || handle<T> || handle<std::remove_pointer_t<T>> ||
                           std::is_same_v<T, char*> || std::is_same_v<T, const char*>;

template <class... Args>
void call_each(Entry entry, const char* name, int (*)(Args...)) {
  constexpr bool needed[] = {looked_at<Args>..., false};
  for (int i = 0; i < static_cast<int>(sizeof...(Args)); ++i)
    if (needed[i]) call(entry, name, std::vector<void*>(sizeof...(Args), ones), i);
}

// ---- others: * is needed, o is not (or C looks at it), c is a communicator

void call_each(Entry entry, const char* name, const char* arguments) {
  std::vector<void*> places;
  for (const char* one = arguments; *one != '\0'; ++one)
    places.push_back(*one == 'c' ? &world : ones);
  for (int i = 0; arguments[i] != '\0'; ++i)
    if (arguments[i] != 'o') call(entry, name, places, i);
}

}  // namespace

#define ODONATA_FORTRAN(arguments, strings, name, Name) extern "C" void mpi_##name##_();
#include "functions.inc"
#undef ODONATA_FORTRAN

// clang-format off
#define OTHERS(CALL)                                                                               \
  CALL(startall, "**") CALL(waitall, "**o") CALL(testall, "**oo") CALL(waitany, "***o")            \
  CALL(testany, "***oo") CALL(waitsome, "****o") CALL(testsome, "****o")                           \
  CALL(request_get_status_all, "**oo") CALL(request_get_status_any, "***oo")                       \
  CALL(request_get_status_some, "****o") CALL(grequest_start, "*****")                             \
  CALL(type_create_struct, "*oo**") CALL(type_get_contents, "****ooo") CALL(address, "o*")         \
  CALL(type_extent, "**") CALL(type_lb, "**") CALL(type_ub, "**") CALL(type_hvector, "*****")      \
  CALL(type_hindexed, "*o***") CALL(type_struct, "*o***") CALL(alltoallw, "ooo*ooo*c")             \
  CALL(ialltoallw, "ooo*ooo*c*") CALL(neighbor_alltoallw, "ooooooooc")                             \
  CALL(ineighbor_alltoallw, "ooooooooc*") CALL(alltoallw_init, "ooo*ooo*c**")                      \
  CALL(neighbor_alltoallw_init, "ooooooooc**") CALL(alloc_mem_cptr, "**o")                         \
  CALL(comm_detach_buffer, "coo") CALL(info_create_env, "*") CALL(info_get, "****o")               \
  CALL(info_get_string, "*****") CALL(op_create, "***") CALL(comm_create_errhandler, "**")         \
  CALL(errhandler_create, "**") CALL(comm_create_keyval, "****")                                   \
  CALL(type_create_keyval, "****") CALL(keyval_create, "****") CALL(comm_get_attr, "c***")         \
  CALL(comm_set_attr, "c**") CALL(comm_delete_attr, "c*") CALL(type_get_attr, "****")              \
  CALL(type_set_attr, "***") CALL(type_delete_attr, "**") CALL(attr_get, "c***")                   \
  CALL(attr_put, "c**") CALL(attr_delete, "c*") CALL(comm_rank, "c*") CALL(comm_dup, "c*")          \
  CALL(ibarrier, "c*") CALL(get_version, "**") CALL(query_thread, "*") CALL(iprobe, "**c*o")
// clang-format on
#define DECLARE(name, arguments) extern "C" void mpi_##name##_();
OTHERS(DECLARE)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#define ODONATA_FORTRAN(arguments, strings, name, Name)                                            \
  call_each(reinterpret_cast<Entry>(mpi_##name##_), #name, PMPI_##Name);
#include "functions.inc"
#define CALL(name, arguments) call_each(reinterpret_cast<Entry>(mpi_##name##_), #name, arguments);
  OTHERS(CALL)
  std::printf("calls %d, not refused %d\n", number, accepted);
  MPI_Finalize();
}
