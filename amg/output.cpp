#include "output.hpp"

#include "values.hpp"

#include <iostream>

namespace odonata::amg {

namespace fs = std::filesystem;

Output::Output(const std::string& name, MPI_Comm comm) : path_(name), partial_(name) {
  int rank = 0, good = 1;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0 && !name.empty()) {
    std::error_code unknown;
    const fs::file_type type = fs::status(path_, unknown).type();
    if (type == fs::file_type::regular || type == fs::file_type::not_found) partial_ += ".part";
    file_.open(partial_);
    good = file_.good();
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, comm);
  if (!good) throw UsageError("--output: can't be written: " + name);
}

Output::~Output() {
  std::error_code ignored;
  if (file_.is_open() && partial_ != path_) fs::remove(partial_, ignored);
}

void Output::write(const std::function<void(std::ostream&)>& document) {
  std::ostream& out = path_.empty() ? std::cout : file_;
  document(out);
  out.flush();
  if (!out) throw UsageError("--output: can't be written: " + path_.string());
  if (!file_.is_open()) return;
  file_.close();
  if (partial_ != path_) fs::rename(partial_, path_);
}

}  // namespace odonata::amg
