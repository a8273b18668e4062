import Blocks
import Testing

@testable import Streams

/// Bytes tell the versions of a segment apart where its size and its address do not.
@Suite(.timeLimit(.minutes(1)))
struct ResourceProofTests {
  private static let segment = (0..<9000).map { UInt8(truncatingIfNeeded: $0 * 7) }
  private static let one = Representation(length: 9000, validator: .entityTag("\"1\""))
  private static let other = Representation(length: 9000, validator: .entityTag("\"2\""))
  private static let untagged = Representation(length: 9000, validator: .none)

  /// A film of which each resource has one fragment of 9000 bytes, or one resource has all of them.
  private static func layout(isOne: Bool, known: [Int] = [0, 1, 2]) throws -> StreamLayout {
    let fragments = try (0..<3).map { number in
      StrandIndex.Fragment(
        resource: isOne ? 0 : number,
        bytes: isOne ? number * 9000..<(number + 1) * 9000 : 0..<9000,
        start: number * 1_000_000_000,
        duration: 1_000_000_000,
        beginning: known.contains(number) ? try SegmentBeginning(of: segment[...]) : nil)
    }
    let track = StrandIndex.Track(
      source: 1,
      description: TrackDescription(
        kind: .audio(rate: 48_000, channels: 2), codec: "A_AAC", timescale: 1000), earliest: 0)
    return try Assembly.layout([
      StrandIndex(
        format: .movie, initialisation: [], tracks: [track], fragments: fragments,
        end: 3_000_000_000)
    ])
  }

  private static func proof(isOne: Bool, known: [Int] = [0, 1, 2]) throws -> ResourceProof {
    try #require(try layout(isOne: isOne, known: known).proofs[0])
  }

  @Test(arguments: [1, 15, 1024, 4095, 4096, 4097, 9000])
  func aBeginningIsFoundAgainHoweverMuchComes(count: Int) throws {
    let beginning = try SegmentBeginning(of: Self.segment.prefix(count))
    #expect(beginning.count == min(count, SegmentBeginning.maxBytes))
    #expect(beginning.begins(Self.segment[...]))
    #expect(beginning.begins(Self.segment.prefix(beginning.count)))
    #expect(!beginning.begins(Self.segment.prefix(beginning.count - 1)))
    for place in [0, beginning.count / 2, beginning.count - 1] {
      var changed = Self.segment
      changed[place] ^= 1
      #expect(!beginning.begins(changed[...]), "\(place)")
    }
  }

  @Test(arguments: [0, -1, SegmentBeginning.maxBytes + 1])
  func aBeginningThatNobodyAsksForIsRefused(count: Int) {
    #expect(throws: StreamError.self) { try SegmentBeginning(count: count, hash: 1) }
  }

  @Test func anAnswerWithTheBeginningIsCompared() throws {
    var proof = try Self.proof(isOne: false)
    proof.compared(Self.one)
    // Also if its tag is known: a packager may write over its segments.
    guard case .compare(let sample) = proof.step(for: Self.one, bringing: 0..<9000) else {
      Issue.record("not compared")
      return
    }
    #expect(sample.range == 0..<4096 && sample.beginning.begins(Self.segment[...]))
  }

  @Test func anAnswerFromTheMiddleIsTakenIfItsTagIsKnown() throws {
    var proof = try Self.proof(isOne: false)
    guard case .ask(let samples) = proof.step(for: Self.one, bringing: 5000..<9000) else {
      Issue.record("not asked for")
      return
    }
    #expect(samples.map(\.range) == [0..<4096])
    proof.compared(Self.one)
    #expect(proof.step(for: Self.one, bringing: 5000..<9000) == .take)
    #expect(proof.step(for: Self.other, bringing: 5000..<9000) == .ask(samples))
    // A part of the beginning is not enough.
    #expect(proof.step(for: Self.other, bringing: 1..<9000) == .ask(samples))
    #expect(proof.step(for: Self.other, bringing: 0..<4095) == .ask(samples))
  }

  @Test func withoutATagEachAnswerFromTheMiddleIsProved() throws {
    var proof = try Self.proof(isOne: false)
    proof.compared(Self.untagged)
    #expect(proof.step(for: Self.untagged, bringing: 5000..<9000) != .take)
  }

  @Test func ofAResourceWithSeveralFragmentsTheBytesThatWereTakenAreComparedToo() throws {
    var proof = try Self.proof(isOne: true, known: [0])
    #expect(proof.noted(of: 9000..<20_000) == 4096 && proof.noted(of: 9000..<9010) == 10)
    for place in stride(from: 9000, to: 26_000, by: 1000) {
      proof.note(try SegmentBeginning(of: Self.segment[...]), at: place)
    }
    guard case .ask(let samples) = proof.step(for: Self.other, bringing: 9000..<27_000) else {
      Issue.record("not asked for")
      return
    }
    #expect(samples.count == 3 && samples[0].range == 0..<4096)
    #expect(samples[1].range.lowerBound == 25_000)
    #expect((9000..<25_000).contains(samples[2].range.lowerBound))
    // A segment that has a resource for itself is compared by its own beginning.
    #expect(try Self.proof(isOne: false).noted(of: 0..<9000) == 0)
  }

  @Test func aTagOfLongAgoIsForgotten() throws {
    var proof = try Self.proof(isOne: false)
    for number in 0..<10_000 {
      proof.compared(Representation(length: 9000, validator: .entityTag("\"\(number)\"")))
    }
    #expect(proof.step(for: Self.one, bringing: 5000..<9000) != .take)
  }

  @Test func theNearestBeginningBeforeAPlaceIsAskedFor() throws {
    let proof = try Self.proof(isOne: true)
    for (place, expected) in [(5000, 0), (14_000, 9000), (26_000, 18_000)] {
      guard case .ask(let samples) = proof.step(for: Self.one, bringing: place..<place + 100)
      else {
        Issue.record("not asked for")
        return
      }
      #expect(samples.map(\.range.lowerBound) == [expected])
    }
  }

  @Test func withoutABeginningNothingIsProved() throws {
    #expect(try Self.layout(isOne: false, known: []).proofs.isEmpty)
    #expect(try Set(Self.layout(isOne: false, known: [1]).proofs.keys) == [1])
  }
}
