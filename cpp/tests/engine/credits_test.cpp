#include "odonata/engine/credits.hpp"

#include <map>

#include "check.hpp"
#include "odonata/random/draws.hpp"

namespace odonata::tests::credits_test {

TEST("credits/credits come home in the order of time") {
  CreditPool pool;
  const Draws draws(3, Purpose::shuffle, 0);
  std::uint64_t drawn = 0;
  for (int round = 0; round < 50; ++round) {
    Credits credits;
    std::multimap<Time, std::int32_t> model;
    Time now = 0;
    for (int step = 0; step < 400; ++step) {
      if (draws.below(drawn++, 3) > 0) {
        const Credit credit{now + draws.below(drawn++, 100),
                            static_cast<std::int32_t>(1 + draws.below(drawn++, 50))};
        credits.add(credit, pool);
        model.insert({credit.time, credit.bytes});
      }
      now += draws.below(drawn++, 40);
      std::int64_t expected = 0;
      while (!model.empty() && model.begin()->first <= now) {
        expected += model.begin()->second;
        model.erase(model.begin());
      }
      CHECK_EQUAL(static_cast<std::int64_t>(credits.take(now, pool)), expected);
      std::int64_t left = 0;
      for (const auto& [time, bytes] : model) left += bytes;
      CHECK_EQUAL(credits.sum(pool), left);
      CHECK_EQUAL(credits.empty(), model.empty());
      if (!model.empty()) CHECK_EQUAL(credits.next_time(), model.begin()->first);
    }
    credits.take(never, pool);
  }
}

}  // namespace odonata::tests::credits_test
