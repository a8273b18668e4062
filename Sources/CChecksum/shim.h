#pragma once
#include <stddef.h>
#include <stdint.h>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

/* Computes CRC32C with the processor's own instructions, which Swift can neither name nor inline. A call
   from Swift for each word would double the time, so the loop over the words is here too. The code uses
   builtins and not <nmmintrin.h>, whose inline functions are not emitted when Swift imports them. */
#if defined(__x86_64__)
/* An instruction waits three cycles for the result of the one before. So three runs of bytes (lanes), each
   with a checksum of its own, are three times as fast side by side. To join the checksums, each is extended
   by the zero bytes that stand for the lanes behind it: it is multiplied by the polynomial
   x^(8 * zeros - 33), modulo the polynomial of CRC32C, with bits reversed. Three long lanes are almost all
   of a piece of 16 KiB, as libcurl passes it. Short lanes are for the rest of pieces of other sizes. */
#define feedfs_crc32c_target __attribute__((target("sse4.2,pclmul")))
enum { feedfs_crc32c_step = 20 * sizeof(uint64_t), feedfs_crc32c_long = 5440, feedfs_crc32c_short = 640 };

feedfs_crc32c_target static inline uint64_t feedfs_crc32c_word(uint64_t crc, const uint8_t *at) {
  uint64_t word;
  __builtin_memcpy(&word, at, sizeof word);
  return __builtin_ia32_crc32di(crc, word);
}
feedfs_crc32c_target static inline uint64_t feedfs_crc32c_shift(uint64_t crc, uint64_t factor) {
  typedef long long pair __attribute__((vector_size(16)));
  pair one = {(long long)crc, 0}, other = {(long long)factor, 0};
  return (uint64_t)((pair)__builtin_ia32_pclmulqdq128(one, other, 0))[0];
}
/* Returns the checksum of three lanes of `lane` bytes from `start` on. `two` and `one` are the factors that
   extend a checksum by two lanes of zeros, or by one. */
feedfs_crc32c_target __attribute__((always_inline)) static inline uint32_t
feedfs_crc32c_lanes(uint32_t crc, const uint8_t *start, size_t lane, uint64_t two, uint64_t one) {
  uint64_t first = crc, second = 0, third = 0;
  for (const uint8_t *end = start + lane; start < end; start += feedfs_crc32c_step) {
#pragma clang loop unroll(full)
    for (size_t at = 0; at < feedfs_crc32c_step; at += sizeof(uint64_t)) {
      first = feedfs_crc32c_word(first, start + at);
      second = feedfs_crc32c_word(second, start + lane + at);
      third = feedfs_crc32c_word(third, start + 2 * lane + at);
    }
  }
  uint64_t both = feedfs_crc32c_shift(first, two) ^ feedfs_crc32c_shift(second, one);
  return (uint32_t)(third ^ __builtin_ia32_crc32di(0, both));
}

feedfs_crc32c_target static inline uint32_t
feedfs_crc32c(uint32_t crc, const uint8_t *start, size_t count) {
  for (; count >= 3 * feedfs_crc32c_long; count -= 3 * feedfs_crc32c_long) {
    crc = feedfs_crc32c_lanes(crc, start, feedfs_crc32c_long, 0xc8774a7, 0xfa0f2bd0);
    start += 3 * feedfs_crc32c_long;
  }
  for (; count >= 3 * feedfs_crc32c_short; count -= 3 * feedfs_crc32c_short) {
    crc = feedfs_crc32c_lanes(crc, start, feedfs_crc32c_short, 0xdd66cbbb, 0x6b749fb2);
    start += 3 * feedfs_crc32c_short;
  }
  for (; count >= sizeof(uint64_t); start += sizeof(uint64_t), count -= sizeof(uint64_t))
    crc = (uint32_t)feedfs_crc32c_word(crc, start);
  for (; count > 0; start++, count--) crc = __builtin_ia32_crc32qi(crc, *start);
  return crc;
}
static inline int feedfs_crc32c_available(void) {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}
#elif defined(__aarch64__) && defined(__linux__) && defined(__LITTLE_ENDIAN__)
/* Uses only one lane. One word in three cycles is already faster than any disk of such a computer, and
   three lanes would need PMULL, which the Raspberry Pi 4 lacks. */
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
