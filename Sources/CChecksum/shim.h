#pragma once
#include <stddef.h>
#include <stdint.h>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

/* The CRC32C instructions, which Swift can neither name nor inline: a call for each word costs
   as much again as the instruction, so the loop over the words lies here too. The builtins and
   not <nmmintrin.h>: its inline functions are not emitted when Swift imports them. */
#if defined(__x86_64__)
/* An instruction waits three cycles for the one before, so three lanes side by side are three times as
   fast. Their checksums are put together by what so many zeros behind a register do to it: a product of
   polynomials, whose factor is x^(8 * zeros - 33) modulo the checksum's, bits reversed. */
enum { feedfs_crc32c_lane = 4096 };

__attribute__((target("sse4.2,pclmul"))) static inline uint64_t
feedfs_crc32c_shift(uint64_t crc, uint64_t factor) {
  typedef long long pair __attribute__((vector_size(16)));
  pair one = {(long long)crc, 0}, other = {(long long)factor, 0};
  return (uint64_t)((pair)__builtin_ia32_pclmulqdq128(one, other, 0))[0];
}

__attribute__((target("sse4.2,pclmul"))) static inline uint32_t
feedfs_crc32c(uint32_t crc, const uint8_t *start, size_t count) {
  uint64_t word;
  for (; count >= 3 * feedfs_crc32c_lane; count -= 3 * feedfs_crc32c_lane) {
    uint64_t first = crc, second = 0, third = 0;
    for (const uint8_t *end = start + feedfs_crc32c_lane; start < end; start += sizeof word) {
      __builtin_memcpy(&word, start, sizeof word);
      first = __builtin_ia32_crc32di(first, word);
      __builtin_memcpy(&word, start + feedfs_crc32c_lane, sizeof word);
      second = __builtin_ia32_crc32di(second, word);
      __builtin_memcpy(&word, start + 2 * feedfs_crc32c_lane, sizeof word);
      third = __builtin_ia32_crc32di(third, word);
    }
    start += 2 * feedfs_crc32c_lane;
    word = feedfs_crc32c_shift(first, 0x54a86326) ^ feedfs_crc32c_shift(second, 0x82f89c77);
    crc = (uint32_t)(third ^ __builtin_ia32_crc32di(0, word));
  }
  for (; count >= sizeof word; start += sizeof word, count -= sizeof word) {
    __builtin_memcpy(&word, start, sizeof word);
    crc = (uint32_t)__builtin_ia32_crc32di(crc, word);
  }
  for (; count > 0; start++, count--) crc = __builtin_ia32_crc32qi(crc, *start);
  return crc;
}
static inline int feedfs_crc32c_available(void) {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}
#elif defined(__aarch64__) && defined(__linux__) && defined(__LITTLE_ENDIAN__)
/* One lane: at a word each three cycles it is faster than any disk of such a computer, and three lanes
   need PMULL, which the Raspberry Pi 4 lacks. */
__attribute__((target("crc"))) static inline uint32_t
feedfs_crc32c(uint32_t crc, const uint8_t *start, size_t count) {
  uint64_t word;
  for (; count >= sizeof word; start += sizeof word, count -= sizeof word) {
    __builtin_memcpy(&word, start, sizeof word);
    crc = __builtin_arm_crc32cd(crc, word);
  }
  for (; count > 0; start++, count--) crc = __builtin_arm_crc32cb(crc, *start);
  return crc;
}
static inline int feedfs_crc32c_available(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#else
static inline uint32_t
feedfs_crc32c(uint32_t crc, const uint8_t *start, size_t count) { (void)start; (void)count; return crc; }
static inline int feedfs_crc32c_available(void) { return 0; }
#endif
