#include "odonata/live/streams.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ios>
#include <ostream>
#include <streambuf>
#include <utility>

namespace odonata::live {

namespace {

constexpr int standard_output = 1;

ssize_t write_all(void*, const char* from, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t part = ::write(standard_output, from + done, bytes - done);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) break;
    done += static_cast<std::size_t>(part);
  }
  return static_cast<ssize_t>(done);
}

/// A buffer without room: all goes to the standard output of the fiber that runs.
class ToStdout : public std::streambuf {
 protected:
  int overflow(int c) override { return c == EOF ? 0 : std::putc(c, stdout); }
  std::streamsize xsputn(const char* from, std::streamsize count) override {
    return static_cast<std::streamsize>(
        std::fwrite(from, 1, static_cast<std::size_t>(count), stdout));
  }
  int sync() override { return std::fflush(stdout); }
};

// Streams of fibers have no descriptor of their own.
int descriptor(std::FILE* file) {
  const int known = fileno(file);
  return known < 0 && file == stdout ? standard_output : known;
}

bool leave_in_step(bool) { return true; }

}  // namespace

Streams::Streams(int num_fibers) : ours_(stdout), outputs_(static_cast<std::size_t>(num_fibers)) {}

Streams::~Streams() {
  leave();
  for (const Kept& kept : kept_) std::ranges::copy(kept.contents, kept.place);
  for (const auto& output : outputs_)
    if (output && !output->closed) std::fclose(output->file);
}

std::vector<Piece> Streams::variables(void* program) {
  static const std::ios_base::Init streams_are_made;
  // Streams may be used until the process ends.
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  static auto* const to_stdout = new ToStdout;
  std::vector<Piece> pieces;
  for (const char* name : {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"}) {
    void* const found = dlsym(program, name);
    if (found == nullptr) continue;
    auto* const place = static_cast<std::byte*>(found);
    kept_.push_back({place, {place, place + sizeof(std::ostream)}});
    if (pieces.empty()) static_cast<std::ostream*>(found)->rdbuf(to_stdout);
    pieces.push_back({place, sizeof(std::ostream), {place, place + sizeof(std::ostream)}});
  }
  return pieces;
}

// Out of step with C the streams of C++ would have one buffer for all.
std::vector<Redirection> Streams::functions() {
  return {{"fileno", reinterpret_cast<void*>(&descriptor)},
          {"_ZNSt8ios_base15sync_with_stdioEb", reinterpret_cast<void*>(&leave_in_step)}};
}

std::FILE* Streams::open(Output& output) {
  const cookie_io_functions_t functions{nullptr, &write_all, nullptr, [](void* closed) {
                                          *static_cast<bool*>(closed) = true;
                                          return 0;
                                        }};
  std::FILE* file = fopencookie(&output.closed, "w", functions);
  if (file == nullptr) return nullptr;
  std::setvbuf(file, output.buffer.data(), _IOLBF, output.buffer.size());
  return file;
}

void Streams::use(int fiber) {
  std::unique_ptr<Output>& output = outputs_[static_cast<std::size_t>(fiber)];
  if (!output) {
    output = std::make_unique<Output>();
    output->file = open(*output);
  }
  stdout = output->file != nullptr ? output->file : ours_;
}

void Streams::flush(int fiber) {
  std::unique_ptr<Output>& output = outputs_[static_cast<std::size_t>(fiber)];
  if (output && output->file != nullptr && !output->closed) std::fflush(output->file);
}

}  // namespace odonata::live
