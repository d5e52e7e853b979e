// prefetch.h - asks for memory that is read or written soon, so that the processor fetches it
// during other work.
//
//   cost   one instruction. The address may be invalid: then it has no effect.
//   kept   g++ 12 drops calls of an inline function that only prefetches, since it sees no effect.
//          The empty asm statement counts as an effect, and makes no instruction.
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
