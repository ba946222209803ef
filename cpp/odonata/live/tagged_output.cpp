#include "odonata/live/tagged_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "odonata/units/errors.hpp"

namespace odonata::live {

namespace {

constexpr std::size_t longest_line = 1 << 20;  // printed in pieces beyond

void write_all(int file, const char* from, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = ::write(file, from, bytes);
    if (written < 0 && errno != EINTR) return;  // the reader is gone: the ranks continue
    if (written <= 0) continue;
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void allow_more_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

TaggedOutput::~TaggedOutput() {
  finish();
  for (const Stream& stream : streams_)
    if (stream.pipe >= 0) close(stream.pipe);
}

int TaggedOutput::open(int rank, int target) {
  if (streams_.empty()) allow_more_files();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw UserError("tagged output: no pipe for rank " + std::to_string(rank) + ": " +
                    std::strerror(errno) + " (ulimit -n?)");
  streams_.push_back({ends[0], target, "[" + std::to_string(rank) + "] ", {}});
  return ends[1];
}

void TaggedOutput::start() {
  thread_ = std::thread([this] { pass_on(); });
}

void TaggedOutput::finish() {
  if (thread_.joinable()) thread_.join();
}

void TaggedOutput::pass_on() {
  std::vector<pollfd> files;
  for (const Stream& stream : streams_) files.push_back({stream.pipe, POLLIN, 0});
  std::size_t open = files.size();
  while (open > 0) {
    if (poll(files.data(), files.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].revents == 0 || read(streams_[i])) continue;
      print(streams_[i], true);
      close(streams_[i].pipe);
      files[i].fd = streams_[i].pipe = -1;
      --open;
    }
  }
}

bool TaggedOutput::read(Stream& stream) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::read(stream.pipe, bytes.data(), bytes.size());
  if (got < 0) return errno == EINTR;
  stream.line.append(bytes.data(), static_cast<std::size_t>(got));
  print(stream, stream.line.size() > longest_line);
  return got > 0;
}

// Whole lines, and with `rest` also a last part of one, in one write: lines of ranks don't mix.
void TaggedOutput::print(Stream& stream, bool rest) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = stream.line.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    out += stream.tag + stream.line.substr(begin, end + 1 - begin);
  stream.line.erase(0, begin);
  if (rest && !stream.line.empty()) {
    out += stream.tag + stream.line + '\n';
    stream.line.clear();
  }
  write_all(stream.target, out.data(), out.size());
}

}  // namespace odonata::live
