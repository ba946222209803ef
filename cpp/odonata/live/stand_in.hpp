// Libraries that are needed by other names than their own.
#pragma once

#include <string>

namespace odonata::live {

/// Loads an empty library of this name that needs the library at `path`, so that an object that
/// needs the name finds that library. `model` is the file that is copied for it. Throws UserError.
void load_by_name(const std::string& model, const std::string& name, const std::string& path);

}  // namespace odonata::live
