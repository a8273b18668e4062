import TestSupport
import Testing

@testable import Streams

/// A slot that is made while its segment comes has the same bytes however the segment was cut.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Broadcast.isPossible, "ffmpeg is not installed"))
struct SlotComposerTests {
  private static let picture = [
    "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "50", "-b:v", "2M",
  ]
  private static let list = ["-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod"]

  /// A film of segments, of which each is a resource.
  private struct Film {
    var layout: StreamLayout
    var segments: [[UInt8]]
    var key: [UInt8]?

    func slot(_ slot: Int) throws -> [UInt8] {
      try SlotBytes(layout, slot: slot).bytes(of: segments[slot], key: key)
    }

    /// Makes a slot of pieces of a segment; nil for a fault. Tells how many bytes were known when each
    /// piece had come.
    func slot(
      _ slot: Int, of segment: [UInt8], cut: () -> Int
    ) throws -> (bytes: [UInt8], known: [Int], isWhole: Bool) {
      var composer = try SlotComposer(layout, slot: slot, key: key)
      var (bytes, known): ([UInt8], [Int]) = ([], [])
      var place = 0
      do throws(StreamError) {
        while place < segment.count {
          let end = min(segment.count, place + max(1, cut()))
          bytes += try composer.take(segment[place..<end]).joined()
          known.append(bytes.count)
          place = end
        }
        return (try bytes + composer.finish().joined(), known, true)
      } catch {
        return (bytes, known, false)
      }
    }
  }

  private func film(_ arguments: [String], hasKey: Bool = false) throws -> Film {
    let broadcast = try Broadcast()
    var arguments = arguments + Self.list
    let key: [UInt8]? = hasKey ? Array(100..<116) : nil
    if let key {
      try broadcast.write(key, to: "k.key")
      try broadcast.write(Array("k.key\n\(broadcast.path(of: "k.key"))\n".utf8), to: "info")
      arguments += ["-hls_key_info_file", "info"]
    }
    try broadcast.make(arguments + ["v.m3u8"])
    let track = try MediaPlaylist(broadcast.bytes("v.m3u8"), at: "http://h/v.m3u8").track
    let segments = try track.segments.indices.map { try broadcast.bytes("v\($0).ts") }
    let facts = try track.segments.enumerated().map { number, segment in
      let bytes = segments[number]
      var plain = bytes
      if let key, let vector = segment.part.key?.vector {
        plain = try AES128(key: key).segment(bytes[...], vector: SegmentCipher.bytes(of: vector))
      }
      return SegmentFacts(bytes: 0..<bytes.count, beginning: plain)
    }
    let samples = try SegmentedSamples(track, facts)
    let index = try samples.index(facts, stamps: samples.stamps, keys: 0)
    let layout = try StreamRecipe(strands: [index], hash: SHA256.hash).layout()
    return Film(layout: layout, segments: segments, key: key)
  }

  /// With a wrong key the bytes are noise, and a slot of noise would be empty.
  @Test(arguments: [0, 1]) func aWrongKeyMakesNoSlot(slot: Int) throws {
    var film = try film(Self.picture + ["-c:a", "aac"], hasKey: true)
    film.key = [UInt8](repeating: 7, count: AES128.block)
    #expect(throws: StreamError.malformed("the key of a segment does not decrypt it")) {
      try film.slot(slot)
    }
  }

  private static let kinds: [(name: String, arguments: [String], hasKey: Bool)] = [
    ("picture and sound", picture + ["-c:a", "aac"], false),
    ("no B frames, Dolby", picture + ["-bf", "0", "-c:a", "eac3"], false),
    ("a picture", picture + ["-an"], false),
    ("a sound", ["-vn", "-c:a", "aac"], false),
    ("encrypted", picture + ["-c:a", "aac"], true),
  ]

  @Test(arguments: kinds.map(\.name)) func anyCutGivesTheSameBytes(name: String) throws {
    let kind = try #require(Self.kinds.first { $0.name == name })
    let film = try film(kind.arguments, hasKey: kind.hasKey)
    var random = SeededRandom(seed: 5)
    for slot in film.layout.fragments.indices {
      let (segment, whole) = (film.segments[slot], try film.slot(slot))
      #expect(whole.count == film.layout.fragments[slot].slot)
      let cuts: [() -> Int] = [{ 188 }, { 1316 }, { 65_536 }, { random.below(3000) }]
      for cut in cuts {
        let made = try film.slot(slot, of: segment, cut: cut)
        #expect(made.isWhole && made.bytes == whole)
      }
    }
    let first = film.segments[0].prefix(20_000)
    let made = try film.slot(0, of: Array(first), cut: { 1 })
    let known = made.known.last ?? 0
    #expect(try made.bytes.prefix(known) == film.slot(0).prefix(known))
  }

  @Test(arguments: [false, true]) func mostIsKnownBeforeTheSegmentIsThere(hasKey: Bool) throws {
    let film = try film(Self.picture + ["-c:a", "aac"], hasKey: hasKey)
    let segment = film.segments[1]
    let made = try film.slot(1, of: segment, cut: { 10_000 })
    for (number, known) in made.known.enumerated() {
      // A cluster, and the pictures of half a second, whose sound comes behind them.
      #expect(known >= (number + 1) * 10_000 * 9 / 10 - 64 << 10 - segment.count / 4)
    }
    #expect((made.known.last ?? 0) > segment.count / 2)
  }

  /// Its samples are those of the whole segment, in clusters of 64 KiB.
  @Test func theSamplesAreThoseOfTheSegment() throws {
    let film = try film(Self.picture + ["-c:a", "aac"])
    for slot in film.layout.fragments.indices {
      let clusters = try clusters(of: film.slot(slot))
      let blocks = clusters.flatMap(\.blocks)
      #expect(clusters.count > 2)
      #expect(clusters.allSatisfy { $0.size <= 64 << 10 || $0.blocks.count == 1 })
      let segment = try SegmentReader.read(film.segments[slot][...], near: 0)
      #expect(blocks.map(\.bytes) == segment.samples.map { Array($0.bytes) })
    }
  }

  /// An answer may go on at a wrong place, and only its end shows it. No byte that was given before
  /// may be wrong.
  @Test func aHoleInASegmentIsNotMadeIntoASlot() throws {
    let film = try film(Self.picture + ["-c:a", "aac"])
    let whole = try film.slot(1)
    var random = SeededRandom(seed: 9)
    for round in 0..<60 {
      var segment = film.segments[1]
      let start = random.below(segment.count)
      // Whole packets too.
      let size = round % 2 == 0 ? 1 + random.below(5000) : 188 * (1 + random.below(15))
      segment.removeSubrange(start..<min(segment.count, start + size))
      let made = try film.slot(1, of: segment, cut: { 4000 })
      let known = made.known.last ?? 0
      #expect(whole.starts(with: made.bytes.prefix(known)), "\(size) bytes less at \(start)")
    }
  }

  @Test func damagedSegmentsGiveTheSameHoweverTheyAreCut() throws {
    let film = try film(Self.picture + ["-b:v", "100k", "-c:a", "aac"])
    var random = SeededRandom(seed: 3)
    for _ in 0..<100 {
      var segment = film.segments[0]
      for _ in 0...random.below(20) {
        segment[random.below(segment.count)] = UInt8(random.below(256))
      }
      let whole = try film.slot(0, of: segment, cut: { segment.count })
      let cut = try film.slot(0, of: segment, cut: { 188 })
      #expect(whole.isWhole == cut.isWhole)
      if whole.isWhole { #expect(whole.bytes == cut.bytes) }
    }
  }

  // MARK: Clusters

  private struct Block: Equatable {
    let time: Int
    let flags: UInt8
    let bytes: [UInt8]
  }

  private func clusters(of slot: [UInt8]) throws -> [(size: Int, blocks: [Block])] {
    try Element(id: 0, body: slot[...], level: 0).children
      .filter { $0.id == ElementID.cluster }.map { cluster in
        let parts = try cluster.children
        let time = try #require(parts.first).number
        let blocks = parts.filter { $0.id == ElementID.simpleBlock }.map { part in
          let head = Array(part.body.prefix(4))
          let offset = Int(Int16(bitPattern: UInt16(head[1]) << 8 | UInt16(head[2])))
          return Block(time: time + offset, flags: head[3], bytes: Array(part.body.dropFirst(4)))
        }
        return (cluster.body.count + 12, blocks)
      }
  }
}
