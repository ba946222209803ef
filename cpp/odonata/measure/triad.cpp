#include "odonata/measure/triad.hpp"

#include <barrier>
#include <chrono>
#include <memory>
#include <thread>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

constexpr double scale = 3.0;

struct Part {
  std::int64_t begin, end;
};

Part part_of(std::int64_t values, int threads, int thread) {
  return {values * thread / threads, values * (thread + 1) / threads};
}

}  // namespace

std::vector<double> time_triad(std::int64_t values, int threads, int trials) {
  if (values < threads || threads < 1 || trials < 1)
    throw InternalError("triad: a thread without a value, or no trial");
  const auto size = static_cast<std::size_t>(values);
  // Nothing is initialized here: a page is near the thread that touches it first.
  const auto a = std::make_unique_for_overwrite<double[]>(size);
  const auto b = std::make_unique_for_overwrite<double[]>(size);
  const auto c = std::make_unique_for_overwrite<double[]>(size);
  std::vector<double> seconds;
  seconds.reserve(trials);
  std::chrono::steady_clock::time_point began;
  std::barrier together(threads);
  const auto work = [&](int thread) {
    const Part part = part_of(values, threads, thread);
    for (std::int64_t i = part.begin; i < part.end; ++i) {
      a[std::size_t(i)] = 0.0;
      b[std::size_t(i)] = 2.0;
      c[std::size_t(i)] = 1.0;
    }
    double* const to = a.get();
    const double* const from = b.get();
    const double* const other = c.get();
    for (int trial = 0; trial < trials; ++trial) {
      together.arrive_and_wait();
      if (thread == 0) began = std::chrono::steady_clock::now();
      together.arrive_and_wait();
      for (std::int64_t i = part.begin; i < part.end; ++i) to[i] = from[i] + scale * other[i];
      together.arrive_and_wait();
      if (thread == 0)
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    }
  };
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
    work(0);
  }
  if (a[0] != 2.0 + scale || a[size - 1] != 2.0 + scale) throw InternalError("triad: a wrong sum");
  return seconds;
}

}  // namespace odonata
