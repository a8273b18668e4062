import Blocks
import Logging
import NIOConcurrencyHelpers
import Streaming
import Streams
import TestSupport
import Testing

@testable import FeedMount

/// A fragmented file of which no film can be made is read as it is, by all fetches.
@Suite(.timeLimit(.minutes(1)))
struct PlainFileTests {
  private static let url = "http://o/film.mp4"

  private let site = MemorySite()
  private let failures: Failures
  private let origin: HTTPOrigin

  init() {
    failures = Failures(now: { 0 }, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    origin = HTTPOrigin(
      site, for: nil, sources: [Self.url], first: Self.url, expected: nil, resolver: nil,
      failures: failures,
      films: StreamMaker(
        pieces: PieceClient(client: site, feed: nil, tasks: .real),
        layouts: StoredLayouts(read: { _ in nil }, write: { _, _ in }), wishes: StreamWishes()),
      tasks: .real
    ) { _, _ in }
  }

  // MARK: A file

  private static func number(_ value: Int, _ width: Int = 4) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let body = Array(parts.joined())
    return number(body.count + 8) + Array(type.utf8) + body
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  /// A picture of H.264 in two fragments of three samples.
  private static let file = file()

  /// - Parameters:
  ///   - slack: bytes behind the last sample.
  ///   - hasIndex: whether an index names the fragments.
  private static func file(slack: Int = 0, hasIndex: Bool = false) -> [UInt8] {
    let entry = box(
      "avc1", zeros(24), number(320, 2), number(180, 2), zeros(50), box("avcC", [1, 2, 3]))
    let tables = box("minf", box("stbl", box("stsd", zeros(4), number(1), entry)))
    let trak = box(
      "trak", box("tkhd", number(3), zeros(8), number(1), zeros(68)),
      box(
        "mdia", box("mdhd", zeros(12), number(1000), zeros(8)),
        box("hdlr", zeros(8), Array("vide".utf8), zeros(13)), tables))
    let moov = box(
      "moov", box("mvhd", zeros(12), number(1000), zeros(84)), trak,
      box("mvex", box("trex", zeros(4), number(1), number(1), zeros(12))))
    let fragments = (0..<2).map { fragment($0, slack: $0 == 1 ? slack : 0) }
    let references = fragments.flatMap { number($0.count) + number(120) + number(0x9000_0000) }
    let index = box(
      "sidx", zeros(4), number(1), number(1000), zeros(8), number(0, 2), number(2, 2), references)
    return box("ftyp", Array("iso6".utf8), number(0)) + moov + (hasIndex ? index : [])
      + fragments.joined()
  }

  private static func fragment(_ place: Int, slack: Int) -> [UInt8] {
    func moof(_ offset: Int) -> [UInt8] {
      let samples = (0..<3).flatMap { number(500 + $0) }
      let run = number(0x201) + number(3) + number(offset) + samples
      let traf = box(
        "traf", box("tfhd", number(0x2_0008), number(1), number(40)),
        box("tfdt", zeros(4), number(120 * place)), box("trun", run))
      return box("moof", box("mfhd", zeros(8)), traf)
    }
    return moof(moof(0).count + 8)
      + box("mdat", (0..<1503 + slack).map { UInt8(truncatingIfNeeded: $0) })
  }

  private static let cuts: [(name: String, bytes: [UInt8])] = [
    ("in the media", file.dropLast(100)),
    ("in a moof", file.dropLast(1503 + 8 + 20)),
    ("in a header", file.dropLast(1503 + 3)),
    ("media behind", file + box("mdat", zeros(200))),
    ("bytes that no sample has", file(slack: 77)),
  ].map { ($0.0, Array($0.1)) }

  // MARK: Fetches

  private func fetches(_ ranges: [ByteRange]) async -> [FetchOutcome] {
    await withTaskGroup(of: (Int, FetchOutcome).self) { group in
      for (number, range) in ranges.enumerated() {
        let sink = FetchRecorder()
        group.addTask { [origin] in
          await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            sink.whenEnded.withLockedValue { $0 = { continuation.resume() } }
            origin.start(FetchID(number + 1), of: range, urgency: .demand, for: sink)
          }
          return (number, sink.outcome.withLockedValue { $0 })
        }
      }
      if ranges.count > 1 {
        await until { site.log.count >= ranges.count }
        site.goOn()
      }
      var all: [Int: FetchOutcome] = [:]
      for await (number, outcome) in group { all[number] = outcome }
      return ranges.indices.compactMap { all[$0] }
    }
  }

  @Test func aWholeFileIsAFilmForAllThatFindItOut() async throws {
    site.put(Self.file, at: Self.url)
    site.holdBack()
    let outcomes = await fetches([0..<4096, 0..<512, 1000..<2000, 0..<4096])
    let film = try #require(outcomes[0].version)
    #expect(StreamLayout.isFilm(film))
    for outcome in outcomes {
      #expect(outcome.end == .complete && outcome.version == film, "\(outcome)")
    }
  }

  @Test(arguments: cuts.map(\.name), [1, 2, 8])
  func allFetchesReadTheFileAsItIs(name: String, count: Int) async throws {
    let bytes = try #require(Self.cuts.first { $0.name == name }).bytes
    site.put(bytes, at: Self.url)
    if count > 1 { site.holdBack() }
    let ranges: [ByteRange] = (0..<count).map { $0 % 3 == 2 ? 1000..<1500 : 0..<bytes.count }
    let outcomes = await fetches(ranges)
    #expect(outcomes.count == count)
    for (range, outcome) in zip(ranges, outcomes) {
      #expect(outcome.end == .complete, "\(String(describing: outcome.end))")
      #expect(outcome.version?.length == bytes.count)
      #expect(outcome.bytes == Array(bytes[range]))
    }
    #expect(failures.refusal(of: Self.url) == nil)
    // Those that come later look for no film.
    site.forgetLog()
    let later = await fetches([0..<100])
    #expect(later[0].bytes == Array(bytes[0..<100]) && site.log.count == 1)
  }

  /// One that was given up meanwhile refuses nothing to the others.
  @Test func aCancelledFetchRefusesNothing() async throws {
    let bytes = Self.cuts[0].bytes
    site.put(bytes, at: Self.url)
    site.holdBack()
    let sink = FetchRecorder()
    origin.start(FetchID(50), of: 0..<100, urgency: .demand, for: sink)
    async let outcome = fetches([0..<bytes.count, 0..<bytes.count])
    origin.cancel(FetchID(50))
    for one in await outcome { #expect(one.bytes == bytes) }
    #expect(failures.refusal(of: Self.url) == nil)
  }

  /// A fragment may lack what its index does not tell. It shows when it is read.
  @Test func whatASlotLacksIsTold() async throws {
    site.put(Self.file(slack: 77, hasIndex: true), at: Self.url)
    let outcome = await fetches([0..<1 << 20])[0]
    #expect(outcome.end == .complete && (outcome.version.map(StreamLayout.isFilm) ?? false))
    let words = try #require(origin.stream?.words)
    #expect(words == "a fragmented MP4 file; 77 bytes of its media are in no picture or sound")
  }

  /// The version of a film that was made of another file.
  private static func otherFilm() throws -> Representation {
    let track = TrackDescription(
      kind: .video(width: 320, height: 180), codec: "V_MPEG4/ISO/AVC", codecPrivate: [1, 2, 3],
      timescale: 1000)
    let strand = StrandIndex(
      format: .movie, initialisation: [],
      tracks: [.init(source: 1, description: track, earliest: 0)],
      fragments: [.init(bytes: 500..<2000, start: 0, duration: 120_000_000)],
      end: 120_000_000)
    return try StreamRecipe(strands: [strand], hash: SHA256.hash).layout().representation
  }

  @Test func aFilmThatIsNoneAnyMoreIsAnotherVersion() async throws {
    let bytes = Self.cuts[3].bytes
    site.put(bytes, at: Self.url)
    var streams = StreamAddresses()
    streams.set(.any, at: Self.url)
    func origin(_ expected: Representation?) -> HTTPOrigin {
      HTTPOrigin(
        site, for: nil, sources: [Self.url], first: Self.url, expected: expected, resolver: nil,
        failures: failures,
        films: StreamMaker(
          pieces: PieceClient(client: site, feed: nil, tasks: .real),
          layouts: StoredLayouts(read: { _ in nil }, write: { _, _ in }),
          wishes: StreamWishes()),
        streams: streams, tasks: .real
      ) { _, _ in }
    }
    func fetch(_ origin: HTTPOrigin) async -> FetchOutcome {
      let sink = FetchRecorder()
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        sink.whenEnded.withLockedValue { $0 = { continuation.resume() } }
        origin.start(FetchID(1), of: 0..<100, urgency: .demand, for: sink)
      }
      return sink.outcome.withLockedValue { $0 }
    }
    #expect(try await fetch(origin(Self.otherFilm())).end == .changed)
    let plain = await fetch(origin(nil))
    #expect(plain.end == .complete && plain.version?.length == bytes.count)
  }
}
