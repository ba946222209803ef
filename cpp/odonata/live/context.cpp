#include "odonata/live/context.hpp"

#include <cstdint>
#include <cstring>

// Kept are the registers that a function must leave as it found them, and how the processor
// rounds. The words are laid out as the code below writes them, the lowest address first.
#if defined(__x86_64__)
asm(R"(
.text
.globl odonata_switch_stack
.hidden odonata_switch_stack
.type odonata_switch_stack, @function
odonata_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size odonata_switch_stack, .-odonata_switch_stack
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl odonata_switch_stack
.hidden odonata_switch_stack
.type odonata_switch_stack, %function
odonata_switch_stack:
  sub sp, sp, #176
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mrs x9, fpcr
  str x9, [sp, #160]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldr x9, [sp, #160]
  msr fpcr, x9
  add sp, sp, #176
  ret
.size odonata_switch_stack, .-odonata_switch_stack
)");
#endif

#if defined(__x86_64__) || defined(__aarch64__)
extern "C" void odonata_switch_stack(void** keep, void* go_on);
#endif

namespace odonata::live {

#if defined(__x86_64__)

void prepare(Context& context, void* stack, std::size_t bytes, void (*entry)()) {
  auto* top = reinterpret_cast<std::uintptr_t*>((reinterpret_cast<std::uintptr_t>(stack) + bytes) &
                                                ~std::uintptr_t{15});
  constexpr std::ptrdiff_t num_registers = 6;
  std::uintptr_t* words = top - 2 - num_registers - 1;
  std::memset(words, 0, (num_registers + 3) * sizeof *words);
  std::uint32_t rounding = 0;
  std::uint16_t x87 = 0;
  asm volatile("stmxcsr %0" : "=m"(rounding));
  asm volatile("fnstcw %0" : "=m"(x87));
  words[0] = rounding | std::uintptr_t{x87} << 32;
  words[num_registers + 1] = reinterpret_cast<std::uintptr_t>(entry);  // returned to
  context.stack_pointer = words;
}

#elif defined(__aarch64__)

void prepare(Context& context, void* stack, std::size_t bytes, void (*entry)()) {
  auto* top = reinterpret_cast<std::uintptr_t*>((reinterpret_cast<std::uintptr_t>(stack) + bytes) &
                                                ~std::uintptr_t{15});
  constexpr std::ptrdiff_t num_words = 22, return_address = 11, rounding = 20;
  std::uintptr_t* words = top - num_words;
  std::memset(words, 0, num_words * sizeof *words);
  words[return_address] = reinterpret_cast<std::uintptr_t>(entry);
  asm volatile("mrs %0, fpcr" : "=r"(words[rounding]));
  context.stack_pointer = words;
}

#else

void prepare(Context& context, void* stack, std::size_t bytes, void (*entry)()) {
  getcontext(&context.state);
  context.state.uc_stack.ss_sp = stack;
  context.state.uc_stack.ss_size = bytes;
  context.state.uc_link = nullptr;
  makecontext(&context.state, entry, 0);
}

#endif

void switch_context(Context& from, Context& to) {
#if defined(__x86_64__) || defined(__aarch64__)
  odonata_switch_stack(&from.stack_pointer, to.stack_pointer);
#else
  swapcontext(&from.state, &to.state);
#endif
}

}  // namespace odonata::live
