#include "preload/libmpi/api/predefined.hpp"

#include <string>

namespace odonata::libmpi::api {

namespace {

void define_type(Handles& handles, NamedType named, MPI_Datatype handle) {
  auto object = std::make_shared<TypeObject>();
  object->type = named_type(named);
  object->name = name_of(named);
  object->committed = true;
  object->predefined = true;
  handles.types.define(handle, std::move(object));
}

void define_types(Handles& handles) {
#define ODONATA_DECLARED_TYPES
#define ODONATA_TYPE(name, ...) define_type(handles, NamedType::T_##name, MPI_##name);
#define ODONATA_PAIR ODONATA_TYPE
#include "preload/libmpi/core/datatypes/named_types.inc"
#undef ODONATA_PAIR
#undef ODONATA_TYPE
  // Synonyms that have handles of their own in some ABIs.
  if (handles.types.find(MPI_C_COMPLEX) == nullptr)
    define_type(handles, NamedType::T_C_FLOAT_COMPLEX, MPI_C_COMPLEX);
  (*handles.types.find(MPI_C_COMPLEX))->name = "MPI_C_COMPLEX";
  if (handles.types.find(MPI_LONG_LONG) == nullptr)
    define_type(handles, NamedType::T_LONG_LONG_INT, MPI_LONG_LONG);
#ifdef MPIX_C_FLOAT16
  (*handles.types.find(MPIX_C_FLOAT16))->name = "MPIX_C_FLOAT16";
#endif
}

void define_errhandler(Handles& handles, MPI_Errhandler handle, ErrorHandler::Action action) {
  handles.errhandlers.define(handle,
                             std::make_shared<ErrorHandler>(ErrorHandler{.action = action}));
}

}  // namespace

std::shared_ptr<Handles> make_handles(const CommRef& world, const CommRef& self) {
  using enum ErrorHandler::Action;
  auto handles = std::make_shared<Handles>();
  handles->comms.define(MPI_COMM_WORLD, world);
  handles->comms.define(MPI_COMM_SELF, self);
  handles->groups.define(MPI_GROUP_EMPTY, std::make_shared<Group>());
  handles->infos.define(MPI_INFO_ENV, std::make_shared<Info>());
  define_errhandler(*handles, MPI_ERRORS_ARE_FATAL, fatal);
  define_errhandler(*handles, MPI_ERRORS_RETURN, give_back);
#ifdef MPI_ERRORS_ABORT
  define_errhandler(*handles, MPI_ERRORS_ABORT, abort);
#endif
  world->errhandler = self->errhandler = *handles->errhandlers.find(MPI_ERRORS_ARE_FATAL);
  handles->messages.define(
      MPI_MESSAGE_NO_PROC,
      std::make_shared<Matched>(
          Matched{.comm = world, .status = {.source = trace::nobody, .tag = trace::any}}));
  define_types(*handles);
#define ODONATA_OP(name) handles->ops.define(MPI_##name, named_op(NamedOp::name));
  ODONATA_NAMED_OPS(ODONATA_OP)
#undef ODONATA_OP
  return handles;
}

}  // namespace odonata::libmpi::api
