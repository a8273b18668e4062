import TestSupport
import Testing

@testable import Streams

/// Sound whose last packets tell no time is counted on from the sound in front of its segment.
@Suite(.timeLimit(.minutes(5)))
struct EarlierSoundTests {
  private static let all: [SoundFrame.Codec] = [.aac, .mpegAudio, .ac3, .eac3]

  /// Reads each segment as its slot does. Counts those of which bytes in front were needed.
  private func read(
    _ bytes: [UInt8], _ codec: SoundFrame.Codec, cuts: [Int]
  ) throws -> (samples: [MediaSample], counted: Int) {
    var samples: [MediaSample] = []
    var counted = 0
    let places = [0] + cuts + [bytes.count]
    func edge(_ place: Int) -> SegmentEdge? {
      place == bytes.count
        ? nil : SegmentEdge(phase: (188 - place % 188) % 188, picture: .unknown)
    }
    for number in 0..<(places.count - 1) {
      var known = SegmentReader.Known(contents: .sound, place: 90_000)
      known.phase = try #require(edge(places[number])).phase
      known.choice.sound = (PlainSound.number, codec)
      var reader = SegmentReader(known)
      samples += try reader.take(bytes[places[number]..<places[number + 1]])
      var next = number + 1
      var goesOn = try reader.endSegment(before: edge(places[next]))
      while goesOn, let follower = edge(places[next]) {
        reader.beginNext(follower)
        samples += try reader.takeNext(bytes[places[next]..<places[next + 1]])
        next += 1
        goesOn = try reader.endNext(before: edge(places[next]))
      }
      if reader.needsTime {
        counted += 1
        let isTold = try reader.countTime(behind: Array(bytes[..<places[number]]))
        #expect(isTold)
      }
      samples += try reader.finish()
    }
    return (samples, counted)
  }

  /// Packets end within frames, several begin within one, and the last ones tell no time.
  @Test(arguments: all, [90, 384, 500])
  func itsTimesAreThoseOfTheStreamWhereverItIsCut(codec: SoundFrame.Codec, size: Int) throws {
    let plain = PlainSound(codec, frames: 24)
    let bytes = plain.packets(of: size, telling: plain.bytes.count / size / 2)
    var counted = 0
    for place in stride(from: bytes.count / 3, to: bytes.count, by: 37) {
      for cuts in [[place], [place - 500, place], [place, min(place + 150, bytes.count - 1)]]
      where cuts[0] < cuts.last ?? 0 || cuts.count == 1 {
        let found = try read(bytes, codec, cuts: cuts)
        counted += found.counted
        let isSame = found.samples.map { Array($0.bytes) } == plain.frames
        try #require(isSame, "\(cuts)")
        let worst = zip(found.samples, plain.times).map { abs($0.time - $1) }.max()
        try #require(worst ?? 0 <= 1, "\(cuts): \(found.samples.map(\.time))")
      }
    }
    #expect(counted > 10, "\(counted)")
  }

  @Test func soundOfWhichNothingTellsATimeIsAnError() throws {
    let plain = PlainSound(.ac3, frames: 8)
    var known = SegmentReader.Known(contents: .sound)
    known.choice.sound = (PlainSound.number, .ac3)
    var reader = SegmentReader(known)
    _ = try reader.take(plain.packets(of: 384, telling: 0)[...])
    let goesOn = try reader.endSegment(before: nil)
    #expect(!goesOn)
    let isTold = try reader.countTime(behind: [])
    #expect(reader.needsTime && !isTold)
    // It is certain: another answer would be the same.
    #expect(throws: StreamError.unsupported("no packet has a time for the sound")) {
      try reader.finish()
    }
  }

  /// Frames as short as can be, and a byte that they do not lead to.
  @Test(arguments: [0, 1]) func noByteIsReadTwiceWhateverFollowsTheLastTime(stray: Int) {
    let frame: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x01, 0x1F, 0xFC, 0xFF]
    let count = (1 << 20) / frame.count
    let bytes = Array([[UInt8]](repeating: frame, count: count).joined())
    var chain = HeadChain(.aac, rate: 48_000)
    let samples = chain.samples(in: (bytes + [UInt8](repeating: 0, count: stray))[...])
    #expect(samples == (stray == 0 ? count * 1024 : nil))
    #expect(chain.reads >= count && chain.reads <= bytes.count, "\(chain.reads)")
  }

  // MARK: Slots

  /// The layout of a stream of sound.
  private func layout(
    _ segments: [[UInt8]], key: [UInt8]? = nil, vectors: [[UInt8]] = []
  ) throws -> StreamLayout {
    let few = PlainSound(.ac3, frames: 4).bytes
    let track = try #require(try PackedAudio.read(few[...]).tracks.first)
    var plain = 0
    var fragments: [LayoutFragment] = []
    for (number, segment) in segments.enumerated() {
      fragments.append(
        LayoutFragment(
          strand: 0, resource: number, bytes: 0..<segment.count, start: number, duration: 1,
          slot: 200_000,
          key: vectors.isEmpty ? nil : FragmentKey(number: 0, vector: vectors[number]),
          edge: SegmentEdge(phase: (188 - plain % 188) % 188)))
      plain += segment.count
      if !vectors.isEmpty, let key {
        let last = try AES128(key: key).segment(segment[...], vector: vectors[number])
        plain += last.count - segment.count
      }
    }
    return try StreamLayout(
      strands: [
        LayoutStrand(
          format: .samples, isAll: true, streams: [SectionStreams(sound: PlainSound.number)])
      ], tracks: [LayoutTrack(strand: 0, source: 0, description: track)], fragments: fragments,
      zero: 0, duration: 0, head: [1],
      identity: [UInt8](repeating: 7, count: StreamLayout.identitySize))
  }

  /// Makes a slot of a stream of sound. Notes the bytes of other segments that it needs.
  private func slot(
    _ number: Int, of segments: [[UInt8]], key: [UInt8]? = nil, vectors: [[UInt8]] = [],
    needed: inout [String]
  ) throws -> [UInt8] {
    let layout = try layout(segments, key: key, vectors: vectors)
    return try SlotBytes(layout, slot: number).bytes(
      of: segments[number], key: vectors.isEmpty ? nil : key, keys: key.map { [$0] } ?? []
    ) { slot, range throws(StreamError) in
      needed.append("\(slot): \(range)")
      return segments[slot][range]
    }
  }

  /// Makes all slots. Tells the bytes of other segments that the last one needed.
  private func slots(
    _ segments: [[UInt8]], key: [UInt8]?, vectors: [[UInt8]] = []
  ) throws -> (bytes: [[UInt8]], needed: [String]) {
    var needed: [String] = []
    let bytes = try segments.indices.map { number in
      needed = []
      return try slot(number, of: segments, key: key, vectors: vectors, needed: &needed)
    }
    return (bytes, needed)
  }

  private static let cuts = [
    // The end of the segment before tells a time.
    (untold: 6, cut: 1000, needed: 1),
    // It does further back.
    (untold: 60, cut: 1000, needed: 3),
    // Only the segment before that does, of which the one between is short.
    (untold: 6, cut: 900, needed: 2),
  ]

  @Test(arguments: cuts, [false, true])
  func aSlotAsksForTheEndOfTheSegmentsInFrontOfIt(
    _ cut: (untold: Int, cut: Int, needed: Int), isEncrypted: Bool
  ) throws {
    let plain = PlainSound(.ac3, frames: 400)
    let pieces = plain.bytes.count / 384
    let told = plain.packets(of: 384, telling: pieces + 1)
    let untold = plain.packets(of: 384, telling: pieces - cut.untold)
    #expect(told.count == untold.count)
    func segments(_ bytes: [UInt8]) -> [[UInt8]] {
      let last = bytes.count - cut.cut
      guard cut.cut == 900 else { return [Array(bytes[..<last]), Array(bytes[last...])] }
      let between = last - 1000
      return [
        Array(bytes[..<between]), Array(bytes[between..<last]), Array(bytes[last...]),
      ]
    }
    var own = segments(untold)
    var vectors: [[UInt8]] = []
    let key: [UInt8] = Array(1...16)
    if isEncrypted {
      for number in own.indices {
        let made = try PlainSound.encrypted(own[number], by: AES128(key: key))
        own[number] = made.bytes
        vectors.append(made.vector)
      }
    }
    let made = try slots(own, key: key, vectors: vectors)
    let expected = try slots(segments(told), key: nil)
    for (one, other) in zip(made.bytes, expected.bytes) { #expect(one.elementsEqual(other)) }
    #expect(made.needed.count == cut.needed, "\(made.needed)")
    #expect(expected.needed.isEmpty, "\(expected.needed)")
  }

  // MARK: Faults

  /// The last PES packet that tells a time begins with packet 378, and the last segment in packet 394.
  private func lateSound() -> (bytes: [UInt8], cut: Int) {
    let bytes = PlainSound(.ac3, frames: 400).packets(of: 384, telling: 127)
    return (bytes, bytes.count - 1000)
  }

  /// The bytes in front of them would not help.
  @Test func soundThatDoesNotFollowTheLastTimeIsAnErrorAtOnce() throws {
    let (bytes, cut) = lateSound()
    let front = bytes[..<(cut - 4000)] + bytes[(cut - 4000)..<cut].map { $0 == 0x0B ? 0 : $0 }
    var needed: [String] = []
    #expect(throws: StreamError.unsupported("no packet has a time for the sound")) {
      try slot(1, of: [Array(front), Array(bytes[cut...])], needed: &needed)
    }
    #expect(needed.count == 1, "\(needed)")
  }

  private static let missing = [
    (packet: 377, isError: false),  // in front of the last time
    (packet: 385, isError: true),
    (packet: 397, isError: true),  // of the segment itself
  ]

  @Test(arguments: missing)
  func soundBehindAMissingPacketIsNeverGivenAtAWrongTime(
    _ missing: (packet: Int, isError: Bool)
  ) throws {
    let (bytes, cut) = lateSound()
    func without(_ range: Range<Int>) -> [UInt8] {
      let packet = missing.packet * 188..<(missing.packet + 1) * 188
      return range.filter { !packet.contains($0) }.map { bytes[$0] }
    }
    var needed: [String] = []
    let made = Result {
      try slot(1, of: [without(0..<cut), without(cut..<bytes.count)], needed: &needed)
    }
    #expect(needed.count == 1, "\(needed)")
    guard missing.isError else {
      let whole = try slot(1, of: [Array(bytes[..<cut]), Array(bytes[cut...])], needed: &needed)
      #expect(try made.get() == whole)
      return
    }
    let words = "packets are missing, and the sound behind them has no times"
    #expect(throws: StreamError.malformed(words)) { try made.get() }
  }

  /// As many segments behind it as a slot looks at tell no time. The one in front does.
  @Test func aSlotLooksInFrontWhereSegmentsBehindItGoOnWithoutTimes() throws {
    let sound = PlainSound(.ac3, frames: 400)
    func segments(telling count: Int) -> [[UInt8]] {
      let bytes = sound.packets(of: 384, telling: count)
      let first = 150 * 188
      return [Array(bytes[..<first])]
        + stride(from: first, to: bytes.count, by: 3 * 188).map {
          Array(bytes[$0..<min(bytes.count, $0 + 3 * 188)])
        }
    }
    var (needed, others): ([String], [String]) = ([], [])
    let made = try slot(1, of: segments(telling: 45), needed: &needed)
    #expect(try made == slot(1, of: segments(telling: 400), needed: &others))
    #expect(others.isEmpty, "\(others)")
    #expect(needed.count == Figure.streamNeighbours.count + 1, "\(needed)")
    #expect(needed.last?.hasPrefix("0:") == true, "\(needed)")
  }
}
