// The calls of one rank of a DUMPI trace as records of our own.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "odonata/interchange/dumpi/requests.hpp"
#include "odonata/interchange/dumpi/types.hpp"

namespace odonata::interchange::dumpi {

/// A communicator as one of its members sees it.
struct Communicator {
  std::uint32_t number = 0;  // at this rank; 0: the call gave the rank none
  std::uint64_t identity = 0;
  std::uint32_t position = 0;
  std::shared_ptr<const std::vector<std::uint64_t>> members;  // ranks of the world
};

/// Everything about a rank's calls that its own calls don't tell.
struct RankContext {
  std::uint32_t rank = 0, num_ranks = 1;
  Place place;
  std::vector<std::int64_t> sizes;  // of datatypes by number [B]; 0: not known
  std::vector<std::pair<std::int64_t, Communicator>>
      assumed;  // by number in the file, from the start
  std::vector<Communicator> created;  // by the calls that create some, in their order
};

/// Anomalies of a rank's calls, counted.
struct Anomalies {
  std::int64_t unknown_requests = 0;  // that are waited for, and that no recorded call has opened
  std::int64_t unknown_communicators = 0;  // calls on communicators whose members aren't known
  std::int64_t unknown_datatypes = 0;  // elements of unknown size: taken as 1 B each
  std::int64_t misfits = 0;  // ranks or counts that can't be
  std::int64_t backward_times = 0;  // calls that begin before the previous call has ended
  std::int64_t marks = 0;  // entries and exits of functions that aren't MPI's
};

/// Reads a rank's calls. Calls without an effect on the network become local ones.
class Rank {
 public:
  /// `file` must outlive this. `found` has the messages of receives from any source or of any tag,
  /// in the order in which they were posted, where another reading has learnt them.
  Rank(std::span<const std::uint8_t> file, RankContext context,
       std::shared_ptr<const std::vector<Found>> found = nullptr);

  bool next(trace::Record& record);

  /// Messages of the receives from any source or of any tag, so far.
  [[nodiscard]] std::vector<Found> learnt() const { return requests_.learnt(); }
  [[nodiscard]] const Anomalies& anomalies() const { return anomalies_; }
  /// Communicators of calls so far whose members aren't known, by number in the file.
  [[nodiscard]] const std::set<std::int64_t>& unknown_communicators() const { return unknown_; }
  /// Calls so far, by number of the function in the file.
  [[nodiscard]] const std::vector<std::int64_t>& counts() const { return counts_; }

 private:
  bool read();
  std::int64_t computed();
  void translate();
  bool point_to_point(Numbers& n);
  bool completion(Numbers& n);
  bool persistent(Numbers& n);
  bool collective(Numbers& n);
  bool collective_of_sizes(Numbers& n);
  void create();
  void send(Numbers& n, trace::Op op, trace::Mode mode);
  void receive(Numbers& n, trace::Op op);
  void exchange(Numbers& n, bool replace);
  void probe(Numbers& n, bool blocking);
  void keep(Numbers& n, trace::Op op, trace::Mode mode);
  void start(std::int64_t request);
  void complete(trace::Op op, std::span<const std::int64_t> requests,
                std::span<const std::int64_t> done, std::span<const std::int64_t> statuses);
  void complete_all(trace::Op op, std::span<const std::int64_t> requests,
                    std::span<const std::int64_t> statuses);
  void poll(trace::Op op, std::span<const std::int64_t> requests);
  void gather(Numbers& n, trace::Collective kind);
  void all(trace::Collective kind, std::int64_t bytes, std::int64_t root, std::int64_t comm,
           std::vector<std::uint64_t> words = {});

  trace::Send sent(Numbers& n, trace::Mode mode, trace::Call& call);
  trace::Receive received(Numbers& n, trace::Call& call);
  void resolve(trace::Receive& receive, std::int64_t place, std::uint32_t comm) const;
  bool on(std::int64_t comm, trace::Call& call);
  std::int32_t peer(std::int64_t rank, const trace::Call& call, bool receives);
  std::int64_t bytes(std::int64_t count, std::int64_t type);
  std::vector<std::uint64_t> blocks(std::span<const std::int64_t> counts, std::int64_t type);
  trace::Record& add(trace::Op op);
  [[nodiscard]] std::uint32_t size_of(std::uint32_t comm) const;

  RankContext context_;
  Stream stream_;
  Types types_;
  Requests requests_;
  std::shared_ptr<const std::vector<Found>> found_;
  Record call_;
  std::vector<trace::Record> ready_;  // of the last call
  std::size_t given_ = 0;  // of those
  std::unordered_map<std::int64_t, std::uint32_t> communicators_;  // numbers: the file's, ours
  std::vector<std::uint32_t> sizes_;  // [communicator]
  std::size_t num_created_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<std::uint16_t> functions_;  // numbers of functions: the file's, ours
  std::optional<std::int64_t> left_;  // time of leaving the last call [ns]
  Anomalies anomalies_;
  std::set<std::int64_t> unknown_;
};

}  // namespace odonata::interchange::dumpi
