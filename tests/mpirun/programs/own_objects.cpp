// Objects of each rank: built before main(), by the first call of a function and for a thread, and
// destroyed at the end.
#include <mpi.h>

#include <cstdio>
#include <iomanip>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

inline std::vector<int> of_all_units = {1, 2, 3};  // the linker keeps its object for ever

namespace {

int built = 0;

struct Noisy {
  explicit Noisy(std::string which) : name(std::move(which)) { ++built; }
  ~Noisy() { std::printf("end of %s of %d\n", name.c_str(), rank); }
  std::string name;
  int rank = -1;
};

Noisy first("the first");
std::vector<int> numbers = {1, 2, 3};
std::map<int, std::string> words = {{0, "zero with a text that is not short"}};
thread_local Noisy of_thread("that of the thread");

Noisy& when_called() {
  static Noisy object("that of the function");
  return object;
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  first.rank = when_called().rank = of_thread.rank = rank;
  std::cout << std::fixed << std::setprecision(rank + 1);
  for (int i = 0; i < 1000 * (rank + 1); ++i) {
    numbers.push_back(i);
    of_all_units.push_back(i);
    words[i] += std::to_string(rank);
    if (i % 500 == 0) MPI_Barrier(MPI_COMM_SELF);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  try {
    MPI_Barrier(MPI_COMM_WORLD);
    throw std::runtime_error("thrown");
  } catch (const std::exception& error) {
    std::cout << rank << ' ' << error.what() << ' ';
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::cout << built << ' ' << numbers.size() << ' ' << of_all_units.size() << ' ' << words.size()
            << ' ' << words[0] << ' ' << 1.0 / 3 << std::endl;
  MPI_Finalize();
  return 0;
}
