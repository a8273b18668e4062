import TestSupport
import Testing

@testable import HTTP

/// Packed bodies are unpacked within bounds.
@Suite(.timeLimit(.minutes(1)))
struct InflaterTests {
  /// Returns bytes of many kinds (text, noise, a run) and the same packed by zlib.
  private static func packed(
    _ level: Int, _ form: String
  ) throws -> (plain: [UInt8], packed: [UInt8]) {
    let program = """
      import random, sys, zlib
      level, form = int(sys.argv[1]), sys.argv[2]
      data = b'<item><title>One</title></item>' * 400 + random.Random(1).randbytes(20000) + bytes(70000)
      wbits = {'gzip': 31, 'zlib': 15, 'raw': -15}[form]
      pack = zlib.compressobj(level, zlib.DEFLATED, wbits, 9, zlib.Z_FIXED if level == 4 else 0)
      sys.stdout.buffer.write(data + pack.compress(data) + pack.flush())
      """
    let child = try ChildProcess(["python3", "-c", program, "\(level)", form])
    let status = child.wait(timeout: .seconds(20))
    try #require(status == 0, "\(child.errors.text)")
    let bytes = child.output.bytes
    return (Array(bytes.prefix(102_400)), Array(bytes.dropFirst(102_400)))
  }

  @Test(arguments: [0, 1, 4, 6, 9], ["gzip", "zlib", "raw"])
  func theBytesBeforePackingComeOutAgain(level: Int, form: String) throws {
    let (plain, packed) = try Self.packed(level, form)
    #expect(try Inflater.plain(packed, limit: plain.count) == plain)
    #expect(throws: Inflater.Failure.tooLong) {
      try Inflater.plain(packed, limit: plain.count - 1)
    }
    for count in [1, 9, packed.count / 2] {
      #expect(throws: Inflater.Failure.malformed) {
        try Inflater.plain(Array(packed.prefix(count)), limit: plain.count)
      }
    }
    guard form == "gzip" else { return }
    // Several members are one body.
    #expect(try Inflater.plain(packed + packed, limit: 1 << 20) == plain + plain)
  }

  @Test func nonsenseEndsWithoutACrash() {
    for seed in 0..<300 as Range<UInt64> {
      let noise = Pattern.bytes(0..<200, seed: seed)
      _ = try? Inflater.plain(noise, limit: 5000)
      _ = try? Inflater.plain([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + noise, limit: 5000)
    }
  }
}
