#include "check.hpp"
#include "odonata/mpi/mailbox.hpp"
#include "odonata/mpi/pair_table.hpp"
#include "odonata/mpi/statistics.hpp"

#include <map>

namespace odonata::tests::matching_test {

TEST("matching/the first receive that fits takes the message") {
  Mailbox box;
  CHECK(!box.post({3, 1, 0}, 10));
  CHECK(!box.post({any_source, any_tag, 0}, 11));
  CHECK(!box.post({any_source, 1, 7}, 12));
  CHECK_EQUAL(*box.arrive({4, 1, 0}, 0), 11U);  // not from rank 3, other context
  CHECK_EQUAL(*box.arrive({3, 1, 0}, 1), 10U);
  CHECK(!box.arrive({3, 1, 0}, 2));
  CHECK_EQUAL(*box.arrive({9, 1, 7}, 3), 12U);
  CHECK_EQUAL(*box.probe({any_source, any_tag, 0}), 2U);
  CHECK(!box.probe({any_source, any_tag, 1}));
  CHECK_EQUAL(*box.post({3, any_tag, 0}, 13), 2U);
  CHECK(box.empty());
}

TEST("matching/an older wildcard takes the message before a younger exact receive") {
  for (const bool among_others : {false, true}) {
    Mailbox box;
    if (among_others) CHECK(!box.post({8, 1, 0}, 9));
    CHECK(!box.post({any_source, any_tag, 0}, 10));
    CHECK(!box.post({3, 1, 0}, 11));
    CHECK_EQUAL(*box.arrive({3, 1, 0}, 0), 10U);
    CHECK_EQUAL(*box.arrive({3, 1, 0}, 1), 11U);
  }
}

TEST("matching/the pair table knows the last message in flight of each pair") {
  PairTable table;
  std::map<std::pair<int, int>, std::uint32_t> model;
  std::map<std::uint32_t, std::pair<int, int>> in_flight;
  const auto pair_of = [&](std::uint32_t message) {
    return PairTable::pair(in_flight.at(message).first, in_flight.at(message).second);
  };
  const Draws draws(5, Purpose::shuffle, 0);
  std::uint64_t drawn = 0;
  for (std::uint32_t message = 0; message < 20'000; ++message) {
    const int from = static_cast<int>(draws.below(drawn++, 40));
    const int to = static_cast<int>(draws.below(drawn++, 40));
    const auto known = model.find({from, to});
    in_flight[message] = {from, to};
    CHECK_EQUAL(table.push(PairTable::pair(from, to), message, pair_of),
                known == model.end() ? PairTable::none : known->second);
    model[{from, to}] = message;
    while (in_flight.size() > draws.below(drawn++, 900)) {
      const auto [done, pair] = *in_flight.begin();
      table.pop(PairTable::pair(pair.first, pair.second), done, pair_of);
      if (model[pair] == done) model.erase(pair);
      in_flight.erase(in_flight.begin());
    }
  }
}

TEST("matching/a latency lies in its bin") {
  for (std::size_t bin = 0; bin + 1 < LatencyHistogram::num_bins; ++bin) {
    const Time low = LatencyHistogram::edge(bin), high = LatencyHistogram::edge(bin + 1);
    CHECK(low < high);
    CHECK_EQUAL(LatencyHistogram::bin_of(low), bin);
    CHECK_EQUAL(LatencyHistogram::bin_of(high - 1), bin);
  }
}

}  // namespace odonata::tests::matching_test
