// Switching between stacks: a fiber as the processor sees it.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace odonata::live {

struct Context {
#if defined(__x86_64__) || defined(__aarch64__)
  void* stack_pointer = nullptr;  // all other state lies on the stack
#else
  ucontext_t state{};
#endif
};

/// Makes a context that begins with `entry`, which never returns, on this stack.
void prepare(Context& context, void* stack, std::size_t bytes, void (*entry)());
/// Keeps the running context in `from`, and continues with `to`.
void switch_context(Context& from, Context& to);

}  // namespace odonata::live
