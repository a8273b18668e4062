import Blocks
import Filling
import Locks
import Streams
import TestSupport
import Testing
import World

@testable import FeedMount
@testable import StreamFiles

/// Two readers of a film live through seeks, kills, evictions, cuts, damage, pauses and a stream that
/// changes. What they get is right, and all of it ends.
@Suite(.timeLimit(.minutes(2)))
struct FilmLifeTests {
  private static let steps = 250

  @Test(arguments: 0..<16) func bytesAreRightAndAllEnds(seed: UInt64) throws {
    let life = Life(seed: seed, in: try #require(Self.stream))
    for _ in 0..<Self.steps { life.step() }
    life.end()
    #expect(life.wrong.isEmpty, "\(life.wrong)")
  }

  /// A life that meets nothing proves nothing.
  @Test func livesMeetWhatTheyAreFor() throws {
    var met: [String: Int] = [:]
    for seed in UInt64(100)..<106 {
      let life = Life(seed: seed, in: try #require(Self.stream))
      for _ in 0..<Self.steps { life.step() }
      life.end()
      met.merge(life.met, uniquingKeysWith: +)
    }
    for kind in [
      "whole", "killed", "restarted", "moved", "cut", "changed", "impossible", "lingered",
    ] {
      #expect(met[kind] ?? 0 > 3, "\(kind): \(met)")
    }
  }

  /// The film that all lives read, and the document of its layout.
  private struct Stream {
    let truth: [UInt8]
    let version: Representation
    let documents: [String: [UInt8]]
  }

  private static let stream: Stream? = {
    let (site, world) = (PortionedSite(), SimulatedWorld(seed: 0))
    serve(TransportSound.segments, on: site)
    let documents = Locked<[String: [UInt8]]>([:])
    let origin = maker(site, world, [:]) { document, name in
      documents.withLock { $0[name] = document }
    }.origin(expected: nil, before: nil) { finder, _ in
      try await finder.source(at: PiecePlace(address: "http://o/v.m3u8"))
    }
    let sink = FetchRecorder()
    origin.start(1, of: 0..<1 << 30, .demand, for: sink, mayBegin: { _ in true }, ended: { _ in })
    world.settle()
    let outcome = sink.outcome.withLock { $0 }
    guard let version = outcome.version, version.length == outcome.bytes.count else { return nil }
    return Stream(
      truth: outcome.bytes, version: version, documents: documents.withLock { $0 })
  }()

  /// - Parameter turn: how often the addresses of the segments have changed.
  private static func serve(_ segments: [[UInt8]], on site: PortionedSite, turn: Int = 0) {
    var list = "#EXTM3U\n#EXT-X-TARGETDURATION:13\n"
    for (number, bytes) in segments.enumerated() {
      list += "#EXTINF:12.8,\n\(url(number, turn))\n"
      site.put(bytes, at: url(number, turn))
    }
    site.site.put(list + "#EXT-X-ENDLIST\n", at: "http://o/v.m3u8")
  }

  private static func url(_ number: Int, _ turn: Int) -> String {
    "http://o/s\(number).ts?t=\(turn)"
  }

  private static func maker(
    _ site: PortionedSite, _ world: SimulatedWorld, _ documents: [String: [UInt8]],
    write: @escaping @Sendable ([UInt8], String) -> Void = { _, _ in }
  ) -> StreamMaker {
    StreamMaker(
      pieces: PieceClient(client: site, feed: nil, tasks: world.tasks),
      queue: world.jobs.queue("films"),
      layouts: SavedLayouts(read: { documents[$0] }, write: write), wishes: StreamWishes(),
      wall: .real)
  }

  /// A segment as long as all others.
  private static let other = TransportSound.segment(0, salt: 3)

  /// One thread alone runs a life.
  private final class Life {
    private final class Fetch: Sendable {
      let recorder = FetchRecorder()
      let id: FetchID
      let range: ByteRange
      private let end = Locked<PieceError??>(nil)

      init(_ id: FetchID, _ range: ByteRange) { (self.id, self.range) = (id, range) }

      func ended(_ trouble: PieceError?) { end.withLock { $0 = .some(trouble) } }
      var hasEnded: Bool { end.withLock { $0 != nil } }
      var trouble: PieceError? { end.withLock { $0 ?? nil } }
      var bytes: [UInt8] { recorder.outcome.withLock { $0.bytes } }
    }

    private let site = PortionedSite()
    private let world: SimulatedWorld
    private var origin: StreamOrigin
    private let make: () -> StreamOrigin
    private var random: SeededRandom
    private let truth: [UInt8]
    private var segments = TransportSound.segments
    private var turn = 0
    private var fetches: [Fetch] = []
    /// The places of the readers.
    private var places = [0, 0]
    private var killed: Set<FetchID> = []
    private(set) var met: [String: Int] = [:]
    private(set) var wrong: [String] = []

    init(seed: UInt64, in stream: Stream) {
      let world = SimulatedWorld(seed: seed)
      self.world = world
      random = SeededRandom(seed: seed)
      truth = stream.truth
      FilmLifeTests.serve(segments, on: site)
      let maker = FilmLifeTests.maker(site, world, stream.documents)
      make = {
        maker.origin(expected: stream.version, before: nil) { finder, _ in
          try await finder.source(at: PiecePlace(address: "http://o/v.m3u8"))
        }
      }
      origin = make()
      site.portion()
    }

    private func meet(_ kind: String) { met[kind, default: 0] += 1 }

    private var underWay: [Int] {
      site.transfers.indices.filter { site.transfers[$0].isUnderWay }
    }

    func step() {
      switch random.below(100) {
      case 0..<30: read()
      case 30..<60: give()
      case 60..<64: cut()
      case 64..<70: kill()
      case 70..<73: fetches.randomElement(using: &random).map { origin.promote($0.id) }
      case 73..<75: origin.endIdleWork()
      case 75..<82:
        let before = underWay.count
        world.advance(by: .milliseconds(random.below(1500)))
        world.settle()
        if underWay.count < before { meet("lingered") }
      case 82..<84: damage()
      case 84 where random.chance(30): change()
      case 85: restart()
      case 86 where random.chance(50): move()
      case 84..<92: world.executor.run()
      default: world.settle()
      }
    }

    /// A reader reads on, or seeks: elsewhere, or back to what was evicted.
    private func read() {
      let reader = random.below(2)
      if random.chance(25) { places[reader] = random.below(truth.count) }
      let start = places[reader]
      let end = min(truth.count, start + 1 + random.below(random.chance(10) ? 1 << 20 : 200_000))
      places[reader] = end < truth.count ? end : 0
      let fetch = Fetch(FetchID(fetches.count + 10), start..<end)
      fetches.append(fetch)
      origin.start(
        fetch.id, of: fetch.range, random.chance(60) ? .demand : .ahead, for: fetch.recorder,
        mayBegin: { _ in true }, ended: { fetch.ended($0) })
    }

    private func give() {
      guard let number = underWay.randomElement(using: &random) else { return world.settle() }
      site.give(number, 1 + random.below(300_000))
    }

    private func cut() {
      guard let number = underWay.randomElement(using: &random) else { return }
      site.cut(number)
      meet("cut")
    }

    private func kill() {
      guard let fetch = fetches.filter({ !$0.hasEnded }).randomElement(using: &random) else {
        return
      }
      origin.cancel(fetch.id)
      if killed.insert(fetch.id).inserted { meet("killed") }
    }

    /// The process is killed, and another one goes on with the cache. What was in memory is lost.
    private func restart() {
      for fetch in fetches where !fetch.hasEnded {
        origin.cancel(fetch.id)
        killed.insert(fetch.id)
      }
      origin.endIdleWork()
      origin = make()
      meet("restarted")
    }

    /// Answers with a segment are damaged from a packet on, or come right again.
    private func damage() {
      let number = random.below(TransportSound.segments.count)
      site.scramble(
        FilmLifeTests.url(number, turn), from: random.chance(50) ? 188 * 900 : nil)
    }

    /// The packager writes over a segment.
    private func change() {
      let number = random.below(TransportSound.segments.count)
      segments[number] = FilmLifeTests.other
      site.put(segments[number], at: FilmLifeTests.url(number, turn))
    }

    /// The playlist names other addresses, and those before are refused.
    private func move() {
      for number in segments.indices { site.expire(FilmLifeTests.url(number, turn)) }
      turn += 1
      FilmLifeTests.serve(segments, on: site, turn: turn)
      meet("moved")
    }

    /// Lets all answers come, and looks at what the readers got.
    func end() {
      var rounds = 0
      world.settle()
      while fetches.contains(where: { !$0.hasEnded }), rounds < 1000 {
        rounds += 1
        if let number = underWay.first {
          site.give(number, 1 << 20)
        } else {
          world.advance(by: .seconds(1))
        }
        world.settle()
      }
      for fetch in fetches {
        if !fetch.hasEnded { wrong.append("\(fetch.id) has no end") }
        if !truth[fetch.range].starts(with: fetch.bytes) {
          wrong.append("\(fetch.id): wrong bytes")
        }
        switch fetch.trouble?.end {
        case nil:
          meet("whole")
          if fetch.bytes.count != fetch.range.count { wrong.append("\(fetch.id) is too short") }
        case .impossible?: meet("impossible")
        case .changed?: meet("changed")
        case .unanswered?:
          if !killed.contains(fetch.id) { wrong.append("\(fetch.id) was left") }
        case .failed?, .gone?: meet("failed")
        case let end?: wrong.append("\(fetch.id): \(end)")
        }
      }
      // Nothing goes on when nobody wants it.
      world.advance(by: .seconds(2))
      world.settle()
      if !underWay.isEmpty { wrong.append("\(underWay.count) requests go on") }
      world.end()
    }
  }
}
