// The extension module odonata._core: every word's bindings, and the roots of errors.
#include <exception>

#include "bind.hpp"
#include "odonata/units/errors.hpp"

namespace {

// Raises the class of this name from odonata.errors.
void raise(const char* name, const std::exception& error) {
  const nb::object type = nb::module_::import_("odonata.errors").attr(name);
  PyErr_SetString(type.ptr(), error.what());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const odonata::UserError& error) {
    raise("UserError", error);
  } catch (const odonata::DeadlockError& error) {
    raise("DeadlockError", error);
  } catch (const odonata::NoMpiError& error) {
    raise("NoMpiError", error);
  } catch (const odonata::InternalError& error) {
    raise("InternalError", error);
  }
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // a program that holds its simulation is no leak of ours
  nb::register_exception_translator(translate);
  bind_machine(m);
  bind_placement(m);
  bind_trace(m);
  bind_workload(m);
  bind_playback(m);
  bind_live(m);
  bind_measure(m);
  bind_simulate(m);
}
