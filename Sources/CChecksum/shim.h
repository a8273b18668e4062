#pragma once
#include <stdint.h>

/* The CRC32C instructions, which Swift cannot name: one step over eight bytes and one over one.
   The builtins and not <nmmintrin.h>: its inline functions are not emitted when Swift imports them. */
#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static inline uint32_t
feedfs_crc32c_u64(uint32_t crc, uint64_t value) { return (uint32_t)__builtin_ia32_crc32di(crc, value); }
__attribute__((target("sse4.2"))) static inline uint32_t
feedfs_crc32c_u8(uint32_t crc, uint8_t value) { return __builtin_ia32_crc32qi(crc, value); }
static inline int feedfs_crc32c_available(void) { return __builtin_cpu_supports("sse4.2"); }
#else
static inline uint32_t feedfs_crc32c_u64(uint32_t crc, uint64_t value) { (void)value; return crc; }
static inline uint32_t feedfs_crc32c_u8(uint32_t crc, uint8_t value) { (void)value; return crc; }
static inline int feedfs_crc32c_available(void) { return 0; }
#endif
