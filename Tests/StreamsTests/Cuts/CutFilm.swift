import TestSupport

@testable import Streams

/// A transport stream that was cut into segments, and the film that is made of them.
struct CutFilm {
  let segments: [[UInt8]]
  let layout: StreamLayout
  /// The bytes that were asked for to learn the layout.
  let asked: Int

  /// - Parameters:
  ///   - cuts: the places of the cuts, in order.
  ///   - seconds: the length of the film.
  init(_ bytes: [UInt8], cuts: [Int], seconds: Int) throws {
    var segments: [[UInt8]] = []
    var place = 0
    for cut in cuts + [bytes.count] where cut > place {
      segments.append(Array(bytes[place..<cut]))
      place = cut
    }
    try self.init(segments, seconds: seconds)
  }

  init(_ segments: [[UInt8]], seconds: Int) throws {
    self.segments = segments
    let size = segments.reduce(0) { $0 + $1.count }
    var place = 0
    var lines = "#EXTM3U\n"
    for (number, segment) in segments.enumerated() {
      // A playlist has no exponents.
      let digits = String(segment.count * seconds * 1_000_000 / size)
      let fraction = String(repeating: "0", count: max(0, 7 - digits.count)) + digits
      lines += "#EXTINF:\(fraction.dropLast(6)).\(fraction.suffix(6)),\ns\(number).ts\n"
      place += segment.count
    }
    let track = try MediaPlaylist(Array((lines + "#EXT-X-ENDLIST\n").utf8), at: "http://h/v").track
    // What a mount asks for.
    var facts = segments.enumerated().map { number, bytes in
      SegmentFacts(
        bytes: 0..<bytes.count,
        beginning: Array(
          bytes.prefix(number == 0 ? SegmentedPackets.beginning : SegmentEdge.size)))
    }
    func read(from number: Int) throws {
      while let (segment, count) = try SegmentedPackets(track, facts).needs(from: number) {
        facts[segment].beginning = Array(segments[segment].prefix(count))
      }
    }
    try read(from: 0)
    for number in try SegmentedPackets(track, facts).later() { try read(from: number) }
    var samples = try SegmentedSamples(track, facts)
    for number in samples.unclear(facts) {
      facts[number].beginning = Array(segments[number].prefix(SegmentEdge.maxBytes))
    }
    samples = try SegmentedSamples(track, facts)
    asked = facts.reduce(0) { $0 + $1.beginning.count }
    let index = try samples.index(facts, stamps: samples.stamps, keys: 0)
    layout = try StreamRecipe(strands: [index], hash: SHA256.hash).layout()
  }

  /// Makes the file. Tells the bytes of other segments that its slots needed, and the requests for them.
  func file() throws -> (bytes: [UInt8], behind: Int, requests: Int) {
    var file = layout.head
    var (behind, requests) = (0, 0)
    for slot in layout.fragments.indices {
      let bytes = try SlotBytes(layout, slot: slot).bytes(
        of: segments[layout.fragments[slot].resource], key: nil
      ) { next, range throws(StreamError) in
        behind += range.count
        requests += 1
        return segments[layout.fragments[next].resource][range]
      }
      guard bytes.count == layout.fragments[slot].slot else {
        throw TestToolError("slot \(slot) has \(bytes.count) bytes")
      }
      file += bytes
    }
    return (file, behind, requests)
  }
}
