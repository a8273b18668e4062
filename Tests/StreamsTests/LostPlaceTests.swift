import Foundation
import Testing

@testable import Streams

/// A segment whose packets do not follow one another is read alike however it is cut.
@Suite(.timeLimit(.minutes(1)))
struct LostPlaceTests {
  /// Samples that come in pieces of `cut` bytes.
  private func samples(of bytes: [UInt8], cut: Int) throws -> [MediaSample] {
    var reader = SegmentReader(SegmentReader.Known(contents: .both))
    var samples: [MediaSample] = []
    for start in stride(from: 0, to: bytes.count, by: cut) {
      samples += try reader.take(bytes[start..<min(bytes.count, start + cut)])
    }
    _ = try reader.endSegment(before: nil)
    return try samples + reader.finish()
  }

  /// The inputs that fuzzing begins with. In one of them packets are looked for where bytes end.
  @Test(arguments: ["transport", "lost"]) func anyCutGivesTheSameSamples(name: String) throws {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let path = "/\(tests)/Fuzz/Corpus/stream/\(name)"
    let input = try #require(FileManager.default.contents(atPath: path))
    let bytes = Array(input.dropFirst())
    let whole = try samples(of: bytes, cut: bytes.count)
    #expect(!whole.isEmpty)
    for cut in 1...400 { #expect(try samples(of: bytes, cut: cut) == whole, "\(cut)") }
  }
}
