import Testing

@testable import Streams

/// The hash and the cipher are those of the standards.
struct CryptoTests {
  @Test func theHashIsThatOfTheStandard() throws {
    let hash = try SHA256.hash(Array("abc".utf8))
    #expect(Array(hash.prefix(4)) == [0xBA, 0x78, 0x16, 0xBF] && hash.count == 32)
    #expect(Array(hash.suffix(4)) == [0xF2, 0x00, 0x15, 0xAD])
    #expect(try Array(SHA256.hash([]).prefix(4)) == [0xE3, 0xB0, 0xC4, 0x42])
  }

  // NIST SP 800-38A, F.2.2.
  private static let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
  private static let vector = bytes("000102030405060708090a0b0c0d0e0f")
  private static let cipher = bytes(
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2")
  private static let plain = bytes(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")

  private static func bytes(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).compactMap { place in
      UInt8(text.dropFirst(place).prefix(2), radix: 16)
    }
  }

  @Test func blocksAreDecryptedFromAnyPlace() throws {
    let cipher = try AES128(key: Self.key)
    #expect(try cipher.blocks(Self.cipher[...], vector: Self.vector) == Self.plain)
    // The block before is the vector of the next.
    #expect(
      try cipher.blocks(Self.cipher[16...], vector: Array(Self.cipher.prefix(16)))
        == Array(Self.plain.suffix(16)))
  }

  /// RFC 8216 §5.2 demands padding. Packagers leave it out, and players keep all bytes then.
  @Test func bytesWithoutPaddingAreAllKept() throws {
    let cipher = try AES128(key: Self.key)
    #expect(try cipher.segment(Self.cipher[...], vector: Self.vector) == Self.plain)
    #expect(
      try cipher.segment(Self.cipher + [7, 8, 9], vector: Self.vector) == Self.plain + [7, 8, 9])
    #expect(try cipher.segment([], vector: Self.vector) == [])
    #expect(throws: StreamError.malformed("encrypted bytes")) {
      try cipher.blocks(Self.cipher.dropLast(), vector: Self.vector)
    }
    #expect(throws: StreamError.malformed("key")) { try AES128(key: [1]) }
  }

  @Test(arguments: [1, 5, 16, 17, 100])
  func bytesWithoutPaddingMayComeInPieces(size: Int) throws {
    for tail in [[], [1, 2, 3]] as [[UInt8]] {
      var stream = CipherStream(try AES128(key: Self.key), vector: Self.vector)
      var rest = (Self.cipher + tail)[...]
      var plain: [UInt8] = []
      while !rest.isEmpty {
        plain += try stream.take(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      plain += try stream.finish()
      #expect(plain == Self.plain + tail)
    }
  }

  @Test(arguments: [
    "2b7e151628aed2a6abf7158809cf4f3c", "2B7E151628AED2A6ABF7158809CF4F3C\r\n",
    "0x2b7e151628aed2a6abf7158809cf4f3c\n", "K34VFiiu0qar9xWICc9PPA==", "K34VFiiu0qar9xWICc9PPA\n",
  ])
  func aKeyMayBeWrittenAsText(text: String) throws {
    #expect(try KeyText.key(in: Array(text.utf8)) == Self.key)
  }

  @Test func aKeyMayEndWithTheEndOfALine() throws {
    for end in [[], [0x0A], [0x0D, 0x0A]] as [[UInt8]] {
      #expect(try KeyText.key(in: Self.key + end) == Self.key)
    }
  }

  @Test(arguments: [
    "", "\n", "<html>no key</html>", "2b7e151628aed2a6abf7158809cf4f", "K34VFiiu0qar9xWICc9P",
    "a login page of some forty letters, no key", "Authentication required", "Access forbidden\n.",
    "AuthenticationRequired", "K34VFiiu0qar9x WICc9PP=", "K34VFiiu0qar9xWICc9PPB==",
  ])
  func otherAnswersAreNoKeys(text: String) {
    #expect(throws: StreamError.self) { try KeyText.key(in: Array(text.utf8)) }
  }

  @Test func paddingIsTakenOff() throws {
    // The last block of the plain text ends with 1 if the block before it is changed by as much.
    var vector = Array(Self.cipher.prefix(16))
    vector[15] ^= 0x51 ^ 0x01
    let cipher = try AES128(key: Self.key)
    #expect(
      try cipher.segment(Self.cipher[16...], vector: vector)
        == Array(Self.plain.suffix(16).dropLast()))
  }
}
