#pragma once

#include <mpi.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace odonata::amg {

// The place to which rank 0 writes the document: a file, which is there when it is complete or not
// at all, or standard output.
class Output {
 public:
  // Before anything that takes long. Throws UsageError on all ranks if the file can't be written.
  Output(const std::string& name, MPI_Comm comm);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(const std::function<void(std::ostream&)>& document);

 private:
  std::filesystem::path path_, partial_;  // the same for a pipe or a device
  std::ofstream file_;
};

}  // namespace odonata::amg
