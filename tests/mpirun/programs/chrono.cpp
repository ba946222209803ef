// Clocks of C++: each measures 2.5 ms of computing that MPI is told of and a sleep of 1.5 ms.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace chrono = std::chrono;

template <class Clock>
long long since(typename Clock::time_point start) {
  return chrono::round<chrono::microseconds>(Clock::now() - start).count();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto system = chrono::system_clock::now();
  const auto steady = chrono::steady_clock::now();
  const auto finest = chrono::high_resolution_clock::now();
  MPI_Pcontrol(13663866, 2.5e-3);
  std::this_thread::sleep_for(chrono::microseconds(1500));
  std::printf("%d system %lld steady %lld finest %lld\n", rank, since<chrono::system_clock>(system),
              since<chrono::steady_clock>(steady), since<chrono::high_resolution_clock>(finest));
  MPI_Finalize();
}
