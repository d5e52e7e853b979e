// prefetch.h - asks for memory that is read or written soon, so that the processor fetches it
// during other work.
//
//   cost   one instruction. The address may be any: a bad one has no effect.
//   kept   g++ 12 takes a function that only prefetches for one without an effect, and drops calls
//          of it where it sees the function. The empty asm statement is an effect, and no
//          instruction.
#pragma once

namespace laurel {

[[gnu::always_inline]] inline void prefetch(const void* read) {
  __builtin_prefetch(read);
  asm volatile("");
}

[[gnu::always_inline]] inline void prefetch_to_write(const void* written) {
  __builtin_prefetch(written, 1);
  asm volatile("");
}

}  // namespace laurel
