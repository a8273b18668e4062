/// Decrypts a segment while its bytes arrive.
struct CipherStream {
  private let cipher: AES128
  private var vector: [UInt8]
  /// The last 1 to 16 encrypted bytes. A whole block also waits here until a further byte comes. If
  /// no byte comes, the block is the last block, and its padding is removed.
  private var rest: [UInt8] = []

  init(_ cipher: AES128, vector: [UInt8]) {
    self.cipher = cipher
    self.vector = vector
  }

  /// Receives the next encrypted bytes, and returns the plain bytes that are now known.
  mutating func take(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [UInt8] {
    rest += bytes
    let count = max(0, rest.count - 1) / AES128.block * AES128.block
    guard count > 0 else { return [] }
    let plain = try cipher.blocks(rest[..<count], vector: vector)
    vector = Array(rest[(count - AES128.block)..<count])
    rest.removeFirst(count)
    return plain
  }

  /// Returns the last plain bytes, without the padding.
  mutating func finish() throws(StreamError) -> [UInt8] {
    defer { rest = [] }
    return try cipher.segment(rest[...], vector: vector)
  }
}
