import Blocks
import Filling
import Locks
import Streams
import Testing

@testable import FeedMount
@testable import StreamFiles
@testable import World

/// A packager writes over the segments of a stream: their names and sizes stay, their bytes do not.
@Suite(.timeLimit(.minutes(1)))
struct ChangingSegmentTests {
  private static let playlist = "http://o/v.m3u8"

  private let site = MemorySite()
  private let documents = Locked<[String: [UInt8]]>([:])

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
    site.stream(expected: expected, keeping: documents)
  }

  @Test(arguments: [0, 1, 3, SoundStream.segments - 1])
  func aFilmIsReadUpToTheFirstSegmentThatChangedAndNoFurther(first: Int) async throws {
    let truth = await origin().fetch()
    let origin = origin()
    _ = await origin.fetch(0..<100)
    writeOver(first..<SoundStream.segments)
    let outcome = await origin.fetch(as: 2)
    #expect(outcome.trouble?.end == .changed && outcome.version == truth.version)
    #expect(truth.bytes.starts(with: outcome.bytes) && outcome.bytes.count < truth.bytes.count)
    let whole = await self.origin().fetch()
    #expect(whole.trouble == nil && whole.version?.length == truth.version?.length)
    #expect(whole.version != truth.version && whole.bytes != truth.bytes)
  }

  @Test func aRestartMixesNothing() async throws {
    let truth = await origin().fetch()
    writeOver()
    for (number, place) in stride(from: 0, to: truth.bytes.count, by: 7000).enumerated() {
      let part = await origin(expected: truth.version).fetch(place..<place + 7000, as: number + 1)
      #expect(truth.bytes.dropFirst(place).starts(with: part.bytes))
      // What is made of the layout alone is still there.
      #expect(part.trouble?.end == .changed || part.bytes.count == 7000)
    }
    let trouble = await origin(expected: truth.version).fetch().trouble
    #expect(trouble?.end == .changed)
  }

  @Test func aLostLayoutIsLearnedAsTheOtherFilmThatItIs() async {
    let truth = await origin().fetch()
    documents.withLock { $0 = [:] }
    writeOver(2..<3)
    let outcome = await origin(expected: truth.version).fetch(0..<100)
    #expect(outcome.trouble?.end == .changed && outcome.bytes.isEmpty)
  }

  /// The servers behind one address have tags of their own.
  @Test func otherTagsForTheSameBytesAreTheSameFilm() async throws {
    let truth = await origin().fetch()
    site.tagEachAnswer()
    site.forgetLog()
    let again = origin(expected: truth.version)
    let whole = await again.fetch()
    #expect(whole.trouble == nil && whole.bytes == truth.bytes)
    // The beginning comes with each segment, and costs no request.
    #expect(site.log.count == 1 + SoundStream.segments)
    let anew = await origin().fetch()
    #expect(anew.trouble == nil && anew.version == truth.version && anew.bytes == truth.bytes)
  }

  @Test func theSizeOfASegmentComesWithItsBeginning() async {
    _ = await origin().fetch(0..<1)
    let asked = site.log.compactMap(\.range)
    #expect(asked.count == SoundStream.segments)
    #expect(asked.count { $0 == 0..<SegmentBeginning.size } == SoundStream.segments - 1)
  }

  // MARK: Segments that were cut anywhere

  /// Serves a transport stream that was cut within frames of sound, and within packets.
  ///
  /// - Parameters:
  ///   - first: the place of the first cut.
  ///   - front: bytes in front of each segment.
  private func serveCut(at first: Int = 150_001, front: [UInt8] = []) {
    let stream = TransportSound.segment(0)
    let cuts = [0, first, 300_077, 450_300, stream.count]
    var list = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n"
    for (number, (start, end)) in zip(cuts, cuts.dropFirst()).enumerated() {
      list += "#EXTINF:\(12.8 * Double(end - start) / Double(stream.count)),\ns\(number).ts\n"
      site.put(front + stream[start..<end], at: "http://o/s\(number).ts")
    }
    site.put(list + "#EXT-X-ENDLIST\n", at: Self.playlist)
  }

  @Test func whatASlotTakesOfTheSegmentBehindIsOfTheSameVersion() async throws {
    serveCut()
    let truth = await origin().fetch()
    #expect(truth.trouble == nil && truth.version?.length == truth.bytes.count)
    site.forgetLog()
    let again = await origin(expected: truth.version).fetch()
    #expect(again.trouble == nil && again.bytes == truth.bytes)
    // Each slot asks for it once.
    #expect(Set(site.log).count == site.log.count)
    let other = TransportSound.segment(0, salt: 1)
    site.put(Array(other[150_001..<300_077]), at: "http://o/s1.ts")
    let outcome = await origin(expected: truth.version).fetch()
    #expect(outcome.trouble?.end == .changed)
    // The first slot needs the end of a frame that is of another version now. What came before is right.
    #expect(truth.bytes.starts(with: outcome.bytes) && outcome.bytes.count < 151_000)
  }

  @Test func whatASlotTakesOfTheSegmentBehindMayHaveAnyTag() async throws {
    serveCut()
    let truth = await origin().fetch()
    site.tagEachAnswer()
    let anew = await origin().fetch()
    #expect(anew.trouble == nil && anew.version == truth.version && anew.bytes == truth.bytes)
    let again = await origin(expected: truth.version).fetch()
    #expect(again.trouble == nil && again.bytes == truth.bytes)
  }

  /// All bytes of the segment are known with the layout.
  @Test func aSegmentThatToldTheTracksTakesItsEndFromTheOneBehind() async throws {
    serveCut(at: 20_001)
    let anew = await origin().fetch()
    #expect(anew.trouble == nil && anew.version?.length == anew.bytes.count)
    let again = await origin(expected: anew.version).fetch()
    #expect(again.trouble == nil && again.bytes == anew.bytes)
  }

  @Test func aPictureInFrontOfSegmentsThatWereCutIsPassedOver() async throws {
    serveCut()
    let truth = await origin().fetch()
    let picture: [UInt8] =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0] + Array("IEND".utf8)
      + [0xAE, 0x42, 0x60, 0x82]
    serveCut(front: picture)
    let film = await origin().fetch()
    #expect(film.trouble == nil && film.bytes == truth.bytes)
  }
}
