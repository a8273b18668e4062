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
        let isTold = reader.countTime(behind: Array(bytes[..<places[number]]))
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
    let isTold = reader.countTime(behind: [])
    #expect(reader.needsTime && !isTold)
    #expect(throws: StreamFault.malformed("sound without times")) { try reader.finish() }
  }

  // MARK: Slots

  /// Makes the slots of a stream of sound. Tells the bytes of other segments that the last one needed.
  private func slots(
    _ segments: [[UInt8]], key: [UInt8]?, vectors: [[UInt8]] = []
  ) throws -> (bytes: [[UInt8]], needed: [String]) {
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
    let layout = try StreamLayout(
      recipe: .third,
      strands: [
        LayoutStrand(
          format: .samples, isAll: true, streams: [SectionStreams(sound: PlainSound.number)])
      ], tracks: [LayoutTrack(strand: 0, source: 0, description: track)], fragments: fragments,
      zero: 0, duration: 0, head: [1],
      identity: [UInt8](repeating: 7, count: StreamLayout.identitySize))
    var needed: [String] = []
    let bytes = try segments.indices.map { number in
      needed = []
      return try SlotBytes(layout, slot: number).bytes(
        of: segments[number], key: vectors.isEmpty ? nil : key, keys: key.map { [$0] } ?? []
      ) { slot, range throws(StreamFault) in
        needed.append("\(slot): \(range)")
        return segments[slot][range]
      }
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
}
