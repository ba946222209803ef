// The extension module odonata._core: every word's bindings, and the roots of errors.
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <exception>

#include "bind.hpp"
#include "odonata/units/errors.hpp"

namespace {

using namespace nb::literals;

nb::object type_named(const char* name) {
  return nb::module_::import_("odonata.errors").attr(name);
}

// Raises the class of this name from odonata.errors.
void raise(const char* name, const std::exception& error) {
  PyErr_SetString(type_named(name).ptr(), error.what());
}

void raise(const odonata::UserError& error) {
  const odonata::Fault& fault = error.fault();
  const nb::object type = type_named("UserError");
  const nb::object allowed = fault.allowed.empty() ? nb::none() : nb::cast(fault.allowed);
  const nb::object near = fault.near.empty() ? nb::none() : nb::cast(fault.near);
  const nb::object made =
      type(fault.what, "value"_a = fault.value, "allowed"_a = allowed, "near"_a = near);
  PyErr_SetObject(type.ptr(), made.ptr());
}

void raise(const odonata::ConservationError& error) {
  const nb::object type = type_named("ConservationError");
  const nb::object made = type(error.what(), "place"_a = error.place(), "found"_a = error.found(),
                               "expected"_a = error.expected());
  PyErr_SetObject(type.ptr(), made.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const odonata::UserError& error) {
    raise(error);
  } catch (const odonata::DeadlockError& error) {
    raise("DeadlockError", error);
  } catch (const odonata::NoMpiError& error) {
    raise("NoMpiError", error);
  } catch (const odonata::ConservationError& error) {
    raise(error);
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
  bind_decide(m);
  bind_trace(m);
  bind_profile(m);
  bind_interchange(m);
  bind_workload(m);
  bind_playback(m);
  bind_live(m);
  bind_model(m);
  bind_measure(m);
  bind_kinds(m);
  bind_simulate(m);
}
