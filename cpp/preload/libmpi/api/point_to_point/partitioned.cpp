// Partitioned messages. A message is sent as a whole when its last partition is ready.
#include "preload/libmpi/api/requests/own_request.hpp"
#include "preload/libmpi/api/requests/request_list.hpp"
#include "preload/libmpi/core/communicators/communicators.hpp"
#include "preload/libmpi/core/requests/wait.hpp"

#if MPI_VERSION >= 4

namespace odonata::libmpi::api {

namespace {

class PartitionedSend final : public OwnRequest {
 public:
  PartitionedSend(Buffer from, Peer to, int partitions)
      : from_(std::move(from)), to_(std::move(to)), ready_(partitions) {
    persistent = true;
    active = false;
  }

  void start(Function function) override {
    ready_.assign(ready_.size(), false);
    missing_ = ready_.size();
    message_ = nullptr;
    active = true;
    if (missing_ == 0) send(function);
  }
  void mark(Function function, int first, int last) {
    require(active, ErrorClass::request, "the request was not started");
    require(first >= 0 && first <= last && last < static_cast<int>(ready_.size()), ErrorClass::arg,
            "there is no such partition");
    for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i) {
      require(!ready_[i], ErrorClass::arg, "the partition is ready already");
      ready_[i] = true;
      if (--missing_ == 0) send(function);
    }
  }
  [[nodiscard]] bool ready() override {
    if (message_ && message_->active)
      static_cast<void>(test_all(Function::Test, std::vector{message_}));
    return message_ && !message_->active;
  }
  void wait(Function function) override {
    require(message_ != nullptr, ErrorClass::request,
            "waits for partitions that can no longer be marked as ready");
    wait_all(function, std::vector{message_});
  }
  void finish() override {}

 private:
  void send(Function function) { message_ = isend(function, from_, to_, trace::Mode::standard); }

  Buffer from_;
  Peer to_;
  std::vector<bool> ready_;
  std::size_t missing_ = 0;  // partitions that are not ready
  RequestRef message_;       // null until none is
};

// Partitioned sends and receives match only each other, on a companion of the communicator.
CommRef comm_for_partitions(Function function, MPI_Comm comm) {
  const CommRef parent = comm_of(comm);
  if (!parent->partitioned) parent->partitioned = companion(function, *parent, 0);
  return parent->partitioned;
}

Buffer whole(const void* data, int partitions, MPI_Count count_of_each, MPI_Datatype type) {
  require(partitions >= 0, ErrorClass::arg, "the number of partitions is negative");
  return buffer(data, partitions * count_of_each, type);
}

PartitionedSend& sending(MPI_Request handle) {
  const RequestRef request = request_of(handle);
  auto* send = dynamic_cast<PartitionedSend*>(request.get());
  require(send != nullptr, ErrorClass::request, "not a request of MPI_Psend_init");
  return *send;
}

}  // namespace

ODONATA_MPI(int, Psend_init,
            (const void* buf, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag,
             MPI_Comm comm, MPI_Info, MPI_Request* request)) {
  return call(Function::Psend_init, comm, [&] {
    const Buffer from = whole(buf, partitions, count, type);
    Peer to = destination(comm, dest, tag);
    to.comm = comm_for_partitions(Function::Psend_init, comm);
    out(request) = add(std::make_shared<PartitionedSend>(from, std::move(to), partitions));
  });
}

ODONATA_MPI(int, Precv_init,
            (void* buf, int partitions, MPI_Count count, MPI_Datatype type, int source_rank,
             int tag, MPI_Comm comm, MPI_Info, MPI_Request* request)) {
  return call(Function::Precv_init, comm, [&] {
    const Buffer into = whole(buf, partitions, count, type);
    require(source_rank != MPI_ANY_SOURCE && tag != MPI_ANY_TAG, ErrorClass::arg,
            "a partitioned message has one source and one tag");
    Peer from = source(comm, source_rank, tag);
    from.comm = comm_for_partitions(Function::Precv_init, comm);
    out(request) = add(recv_init(into, from));
  });
}

ODONATA_MPI(int, Pready, (int partition, MPI_Request request)) {
  return call(Function::Pready,
              [&] { sending(request).mark(Function::Pready, partition, partition); });
}

ODONATA_MPI(int, Pready_range, (int first, int last, MPI_Request request)) {
  return call(Function::Pready_range,
              [&] { sending(request).mark(Function::Pready_range, first, last); });
}

ODONATA_MPI(int, Pready_list, (int length, const int partitions[], MPI_Request request)) {
  return call(Function::Pready_list, [&] {
    for (int i = 0; i < length; ++i)
      sending(request).mark(Function::Pready_list, partitions[i], partitions[i]);
  });
}

ODONATA_MPI(int, Parrived, (MPI_Request handle, int partition, int* flag)) {
  return call(Function::Parrived, [&] {
    const RequestRef request = request_of(handle);
    require(request && request->persistent, ErrorClass::request, "not a request of MPI_Precv_init");
    require(partition >= 0, ErrorClass::arg, "there is no such partition");
    out(flag) = !request->active || complete(Function::Parrived, request) ? 1 : 0;
  });
}

}  // namespace odonata::libmpi::api

#endif
