#pragma once
#include <stddef.h>
#include <stdint.h>

/* The CRC32C instructions, which Swift can neither name nor inline: a call for each word costs
   as much again as the instruction, so the loop over the words lies here too. The builtins and
   not <nmmintrin.h>: its inline functions are not emitted when Swift imports them. */
#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static inline uint32_t
feedfs_crc32c(uint32_t crc, const uint8_t *start, size_t count) {
  uint64_t word;
  for (; count >= sizeof word; start += sizeof word, count -= sizeof word) {
    __builtin_memcpy(&word, start, sizeof word);
    crc = (uint32_t)__builtin_ia32_crc32di(crc, word);
  }
  for (; count > 0; start++, count--) crc = __builtin_ia32_crc32qi(crc, *start);
  return crc;
}
static inline int feedfs_crc32c_available(void) { return __builtin_cpu_supports("sse4.2"); }
#else
static inline uint32_t
feedfs_crc32c(uint32_t crc, const uint8_t *start, size_t count) { (void)start; (void)count; return crc; }
static inline int feedfs_crc32c_available(void) { return 0; }
#endif
