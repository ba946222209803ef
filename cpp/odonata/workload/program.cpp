#include "odonata/workload/program.hpp"

namespace odonata {

namespace {

Task run_repeatedly(Rank rank, const Algorithm* algorithm, Call call, int repetitions) {
  const std::string name = algorithm->operation + "/" + algorithm->name;
  const bool collective = trace::collective_named(algorithm->operation).has_value();
  for (int i = 0; i < repetitions; ++i) {
    rank.phase(repetitions == 1 ? name : name + " " + std::to_string(i));
    rank.enter(algorithm->operation, collective);
    Task run = algorithm->run(rank, call);
    co_await run;
    rank.leave();
  }
}

}  // namespace

Program repeat(const Algorithm& algorithm, const Call& call, int repetitions) {
  const Algorithm* known = &algorithm;  // registered: lives as long as the program
  return [known, call, repetitions](Rank rank) {
    return run_repeatedly(std::move(rank), known, call, repetitions);
  };
}

}  // namespace odonata
