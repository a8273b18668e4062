import Blocks
import Glibc

/// One version of a resource of an origin. Every 16 bytes of a file name resource, version and
/// offset, so a wrong byte tells where it comes from.
struct Body: Sendable {
  let resource: Int
  let version: Int
  let bytes: [UInt8]
  let validator: Validator

  var representation: Representation {
    Representation(length: bytes.count, validator: validator)
  }

  /// The tag from an origin that labels its versions differently.
  var otherTag: String { "\"other-\(resource)-\(version)\"" }

  /// The Last-Modified of a version that has a tag.
  var date: String { "Tue, 02 Jan 2024 00:00:0\(version) GMT" }

  /// True when no client could tell the two apart.
  func isSame(as other: Body) -> Bool {
    representation == other.representation || bytes.isEmpty && other.bytes.isEmpty
  }

  /// Describes the first mismatch between `found` and `range` of this version; nil if there is
  /// none.
  func complaint(about found: RawSpan, at range: ByteRange) -> String? {
    let range = range.clamped(to: 0..<bytes.count)
    guard found.byteCount == range.count else {
      return "\(found.byteCount) bytes for \(range) of resource \(resource), version \(version)"
    }
    return found.withUnsafeBytes { found in
      bytes.withUnsafeBytes { own in
        guard let there = found.baseAddress, let here = own.baseAddress,
          memcmp(there, here + range.lowerBound, range.count) != 0
        else { return nil }
        let wrong = (0..<range.count).first { found[$0] != own[range.lowerBound + $0] } ?? 0
        return "byte \(range.lowerBound + wrong) of resource \(resource), version \(version): "
          + Self.origin(of: found, near: wrong, startingAt: range.lowerBound)
      }
    }
  }

  /// A version whose bytes come from elsewhere.
  init(resource: Int, version: Int, bytes: [UInt8], validator: Validator) {
    self.resource = resource
    self.version = version
    self.bytes = bytes
    self.validator = validator
  }

  // MARK: The bytes

  /// Bytes of a label: the name of resource and version, then the offset.
  private static let label = 16

  private static func name(resource: Int, version: Int) -> UInt64 {
    0xfeed_0000_5a5a_0000 | UInt64(resource) << 32 | UInt64(version)
  }

  private static func mark(_ offset: Int) -> UInt64 {
    UInt64(offset) ^ 0xa5a5_a5a5_a5a5_a5a5
  }

  init(resource: Int, version: Int, length: Int, validator: Validator) {
    self.resource = resource
    self.version = version
    self.validator = validator
    let labels = length / Self.label + 1
    let name = Self.name(resource: resource, version: version)
    let words = [UInt64](unsafeUninitializedCapacity: labels * 2) { words, count in
      for index in 0..<labels {
        words[2 * index] = name
        words[2 * index + 1] = Self.mark(index * Self.label)
      }
      count = labels * 2
    }
    bytes = words.withUnsafeBytes { Array($0.prefix(length)) }
  }

  /// Names the source of the bytes around `wrong`.
  private static func origin(
    of found: UnsafeRawBufferPointer, near wrong: Int, startingAt offset: Int
  ) -> String {
    let start = (offset + wrong) / label * label - offset
    guard start >= 0, start + label <= found.count else { return "\(found[wrong])" }
    let name = found.loadUnaligned(fromByteOffset: start, as: UInt64.self)
    let mark = found.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
    if name == 0 && mark == 0 { return "zeros" }
    return
      "resource \(name >> 32 & 0xffff), version \(name & 0xffff), offset \(mark ^ Self.mark(0))"
  }
}
