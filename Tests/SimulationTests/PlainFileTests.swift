import Blocks
import Filling
import Logging
import Locks
import TestSupport
import Testing

@testable import FeedMount
@testable import StreamFiles
@testable import Streams
@testable import World

/// A fragmented file of which no film can be made is read as it is, by all fetches.
@Suite(.timeLimit(.minutes(1)))
struct PlainFileTests {
  private static let url = "http://o/film.mp4"

  private let site = MemorySite()
  private let failures: Failures
  private let origin: HTTPOrigin

  init() {
    failures = Failures(now: { 0 }, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let choice = AddressChoice(
      of: Candidates([Self.url], current: Self.url), streams: StreamAddresses())
    origin = HTTPOrigin(choice, with: Self.needs(site, failures, layout: nil)) { _ in }
  }

  /// - Parameter layout: that of the film as it is on the disk; nil if none is.
  private static func needs(
    _ site: MemorySite, _ failures: Failures, layout: [UInt8]?
  ) -> OriginNeeds {
    OriginNeeds(
      client: site, failures: failures,
      films: StreamMaker(
        pieces: PieceClient(client: site, feed: nil, tasks: .real),
        queue: DispatchJobs("films"),
        layouts: SavedLayouts(read: { _ in layout }, write: { _, _ in }), wishes: StreamWishes(),
        wall: .real),
      tasks: .real)
  }

  // MARK: Fetches

  /// Starts fetches in this order, and lets the site answer them in the same one.
  private func fetches(_ ranges: [ByteRange]) async -> [FetchOutcome] {
    let sinks = ranges.enumerated().map { number, range in
      let sink = FetchRecorder()
      origin.start(FetchID(number + 1), of: range, urgency: .demand, for: sink)
      return sink
    }
    site.goOn()
    await until { sinks.allSatisfy(\.hasEnded) }
    return sinks.map { $0.outcome.withLock { $0 } }
  }

  @Test func aWholeFileIsAFilmForAllThatFindItOut() async throws {
    site.put(FragmentedFile.whole, at: Self.url)
    site.holdBack()
    let outcomes = await fetches([0..<4096, 0..<512, 1000..<2000, 0..<4096])
    let film = try #require(outcomes[0].version)
    #expect(StreamLayout.isFilm(film))
    for outcome in outcomes {
      #expect(outcome.end == .complete && outcome.version == film, "\(outcome)")
    }
  }

  @Test(arguments: FragmentedFile.cuts.map(\.name), [1, 2, 8])
  func allFetchesReadTheFileAsItIs(name: String, count: Int) async throws {
    let bytes = try #require(FragmentedFile.cuts.first { $0.name == name }).bytes
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
    let bytes = FragmentedFile.cuts[0].bytes
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
    site.put(FragmentedFile.file(slack: 77, hasIndex: true), at: Self.url)
    let outcome = await fetches([0..<1 << 20])[0]
    #expect(outcome.end == .complete && (outcome.version.map(StreamLayout.isFilm) ?? false))
    let words = try #require(origin.stream?.words)
    #expect(words == "a fragmented MP4 file; 77 bytes that belong to no picture or sound")
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
    let bytes = FragmentedFile.cuts[3].bytes
    site.put(bytes, at: Self.url)
    var streams = StreamAddresses()
    streams.set(.any, at: Self.url)
    func origin(_ expected: Representation?) -> HTTPOrigin {
      let choice = AddressChoice(
        of: Candidates([Self.url], current: Self.url), streams: streams,
        proof: VersionProof(expected))
      let needs = Self.needs(site, failures, layout: nil)
      return HTTPOrigin(choice, with: needs) { _ in }
    }
    #expect(try await origin(Self.otherFilm()).fetch(0..<100).end == .changed)
    let plain = await origin(nil).fetch(0..<100)
    #expect(plain.end == .complete && plain.version?.length == bytes.count)
  }
}
