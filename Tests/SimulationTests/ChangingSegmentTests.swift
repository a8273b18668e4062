import Blocks
import NIOConcurrencyHelpers
import Streaming
import Streams
import TestSupport
import Testing

@testable import FeedMount

/// A packager writes over the segments of a stream: their names and sizes stay, their bytes do not.
@Suite(.timeLimit(.minutes(1)))
struct ChangingSegmentTests {
  private static let playlist = "http://o/v.m3u8"

  private let site = MemorySite()
  private let documents = NIOLockedValueBox<[String: [UInt8]]>([:])

  init() {
    SoundStream.serve(on: site, at: Self.playlist, token: "a")
  }

  /// Writes over these segments.
  private func writeOver(_ segments: Range<Int> = 0..<SoundStream.segments) {
    for number in segments {
      site.put(
        SoundStream.segment(number, size: 300, salt: 1), at: "http://o/s\(number).aac?t=a")
    }
  }

  private func origin(expected: Representation? = nil) -> StreamOrigin {
    let layouts = StoredLayouts(
      read: { [documents] name in documents.withLockedValue { $0[name] } },
      write: { [documents] document, name in documents.withLockedValue { $0[name] = document } })
    let pieces = PieceClient(client: site, feed: nil, tasks: .real)
    let maker = StreamMaker(pieces: pieces, layouts: layouts, wishes: StreamWishes())
    return maker.origin(expected: expected, before: nil) { finder, _ in
      try await finder.source(at: PiecePlace(address: Self.playlist))
    }
  }

  private func fetch(
    _ range: ByteRange = 0..<1 << 30, from origin: StreamOrigin, as number: Int = 1
  ) async -> FetchOutcome {
    let sink = FetchRecorder()
    let trouble = await withCheckedContinuation { continuation in
      origin.start(
        FetchID(number), of: range, .demand, for: sink, began: { _ in },
        ended: { continuation.resume(returning: $0) })
    }
    var outcome = sink.outcome.withLockedValue { $0 }
    outcome.trouble = trouble
    return outcome
  }

  @Test(arguments: [0, 1, 3, SoundStream.segments - 1])
  func aFilmIsReadUpToTheFirstSegmentThatChangedAndNoFurther(first: Int) async throws {
    let truth = await fetch(from: origin())
    let origin = origin()
    _ = await fetch(0..<100, from: origin)
    writeOver(first..<SoundStream.segments)
    let outcome = await fetch(from: origin, as: 2)
    #expect(outcome.trouble?.end == .changed && outcome.version == truth.version)
    #expect(truth.bytes.starts(with: outcome.bytes) && outcome.bytes.count < truth.bytes.count)
    let whole = await fetch(from: self.origin())
    #expect(whole.trouble == nil && whole.version?.length == truth.version?.length)
    #expect(whole.version != truth.version && whole.bytes != truth.bytes)
  }

  @Test func aRestartMixesNothing() async throws {
    let truth = await fetch(from: origin())
    writeOver()
    for (number, place) in stride(from: 0, to: truth.bytes.count, by: 7000).enumerated() {
      let part = await fetch(
        place..<place + 7000, from: origin(expected: truth.version), as: number + 1)
      #expect(truth.bytes.dropFirst(place).starts(with: part.bytes))
      // What is made of the layout alone is still there.
      #expect(part.trouble?.end == .changed || part.bytes.count == 7000)
    }
    let trouble = await fetch(from: origin(expected: truth.version)).trouble
    #expect(trouble?.end == .changed)
  }

  @Test func aLostLayoutIsLearnedAsTheOtherFilmThatItIs() async {
    let truth = await fetch(from: origin())
    documents.withLockedValue { $0 = [:] }
    writeOver(2..<3)
    let outcome = await fetch(0..<100, from: origin(expected: truth.version))
    #expect(outcome.trouble?.end == .changed && outcome.bytes.isEmpty)
  }

  /// The servers behind one address have tags of their own.
  @Test func otherTagsForTheSameBytesAreTheSameFilm() async throws {
    let truth = await fetch(from: origin())
    site.tagEachAnswer()
    site.forgetLog()
    let again = origin(expected: truth.version)
    let whole = await fetch(from: again)
    #expect(whole.trouble == nil && whole.bytes == truth.bytes)
    // The beginning comes with each segment, and costs no request.
    #expect(site.log.count == 1 + SoundStream.segments)
    let anew = await fetch(from: origin())
    #expect(anew.trouble == nil && anew.version == truth.version && anew.bytes == truth.bytes)
  }

  @Test func theSizeOfASegmentComesWithItsBeginning() async {
    _ = await fetch(0..<1, from: origin())
    let asked = site.log.compactMap(\.range)
    #expect(asked.count == SoundStream.segments)
    #expect(asked.count { $0 == 0..<SegmentBeginning.size } == SoundStream.segments - 1)
  }
}
