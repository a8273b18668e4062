/// A short name for a long key: 128 bits of FNV-1a, as 32 hexadecimal digits.
///
/// It is used only to name files, and proves nothing. A file is compared with its key when it is
/// opened, so a collision can cost a fetch but never brings a wrong byte.
package struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Creates the fingerprint of `parts`. The same text, divided into other parts, has another
  /// fingerprint.
  package init(of parts: String...) {
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d  // FNV offset basis
    let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
    for part in parts {
      for byte in part.utf8 {
        hash = (hash ^ UInt128(byte)) &* prime
      }
      hash = (hash ^ 0xff) &* prime  // no byte of UTF-8
    }
    let digits = String(hash, radix: 16)
    description = String(repeating: "0", count: 32 - digits.count) + digits
  }
}
