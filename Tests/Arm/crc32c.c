/* Compares the instructions of CChecksum with the definition of the checksum, bit by bit: every length up to
   4096 at each of 16 offsets, and in two parts. Ends with 0 if all of them agree. */
#include "../../Sources/CChecksum/shim.h"
#include <stdio.h>

enum { longest = 4096, offsets = 16 };

static uint8_t bytes[longest + offsets];

static uint32_t by_definition(uint32_t crc, uint8_t byte) {
  crc ^= byte;
  for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
  return crc;
}

int main(void) {
  if (!feedfs_crc32c_available()) {
    fputs("this processor has no instructions for CRC32C\n", stderr);
    return 2;
  }
  if (~feedfs_crc32c(~0u, (const uint8_t *)"123456789", 9) != 0xe3069283u) {
    fputs("the check value of the polynomial's catalogues is another one\n", stderr);
    return 1;
  }
  uint32_t random = 1;
  for (size_t place = 0; place < sizeof bytes; place++) {
    random = random * 1664525u + 1013904223u;
    bytes[place] = random >> 24;
  }
  unsigned long count = 0;
  for (size_t offset = 0; offset < offsets; offset++) {
    const uint8_t *start = bytes + offset;
    uint32_t expected = ~0u;
    for (size_t length = 0; length <= longest; length++) {
      size_t half = length / 2;
      uint32_t whole = feedfs_crc32c(~0u, start, length);
      uint32_t parts = feedfs_crc32c(feedfs_crc32c(~0u, start, half), start + half, length - half);
      if (whole != expected || parts != expected) {
        fprintf(stderr, "%zu bytes from %zu on: %08x and %08x instead of %08x\n", length, offset, whole, parts,
                expected);
        return 1;
      }
      if (length < longest) expected = by_definition(expected, start[length]);
      count++;
    }
  }
  printf("%lu checksums agree\n", count);
  return 0;
}
