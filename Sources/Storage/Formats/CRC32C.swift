import CChecksum

/// The Castagnoli checksum (RFC 3720 §12.1) of bytes that are passed piece by piece.
package struct CRC32C: Hashable, Sendable {
  private var register: UInt32 = ~0

  /// The checksum of all bytes so far.
  package var value: UInt32 {
    ~register
  }

  package init() {}

  init(of bytes: RawSpan) {
    update(bytes)
  }

  package mutating func update(_ bytes: RawSpan) {
    if Self.hasInstructions {
      updateByInstructions(bytes)
    } else {
      updateByTable(bytes)
    }
  }

  /// True if this processor has instructions that compute the checksum.
  static let hasInstructions = feedfs_crc32c_available() != 0

  /// Uses the processor's instructions; requires `hasInstructions`.
  mutating func updateByInstructions(_ bytes: RawSpan) {
    register = bytes.withUnsafeBytes { feedfs_crc32c(register, $0.baseAddress, $0.count) }
  }

  /// Works on any processor. It takes eight bytes at a time, with one table for each of the eight
  /// positions of a byte.
  mutating func updateByTable(_ bytes: RawSpan) {
    let wordsEnd = bytes.byteCount & ~7
    for offset in stride(from: 0, to: wordsEnd, by: 8) {
      let word = bytes.word(at: offset) ^ UInt64(register)
      register = 0
      for place in 0..<8 {
        let byte = Int(truncatingIfNeeded: word >> UInt64(8 * place)) & 0xff
        register ^= Self.tables[(7 - place) << 8 | byte]
      }
    }
    for offset in wordsEnd..<bytes.byteCount {
      let byte = Int(UInt8(truncatingIfNeeded: register) ^ bytes.byte(at: offset))
      register = register >> 8 ^ Self.tables[byte]
    }
  }

  /// The eight tables in one array. Entry `n << 8 | byte` is the effect on the register of `byte`
  /// followed by `n` zero bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 << 8)
    for byte in 0..<256 {
      var register = UInt32(byte)
      for _ in 0..<8 {
        register = register >> 1 ^ (register & 1 == 0 ? 0 : 0x82f6_3b78)  // reflected polynomial
      }
      tables[byte] = register
    }
    for index in 256..<tables.count {
      let shorter = tables[index - 256]
      tables[index] = shorter >> 8 ^ tables[Int(shorter & 0xff)]
    }
    return tables
  }()
}

extension RawSpan {
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  fileprivate func byte(at offset: Int) -> UInt8 {
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
