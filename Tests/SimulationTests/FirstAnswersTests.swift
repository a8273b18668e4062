import Blocks
import Dispatch
import Filling
import Logging
import Locks
import Streams
import TestSupport
import Testing

@testable import FeedMount
@testable import StreamFiles
@testable import World

/// Fetches that ask at once, before anything is known of a fragmented file, come to one decision:
/// all of them read the file, or all read its film.
@Suite(.timeLimit(.minutes(1)))
struct FirstAnswersTests {
  private static let url = "http://o/film.mp4"
  /// The first shows by its bytes that the file is fragmented. Those of the second are too few, and
  /// the third lacks the beginning.
  private static let ranges: [ByteRange] = [0..<4096, 0..<300, 1000..<2000]
  private static let steps = 3

  private let site = MemorySite()

  private func origin(_ tasks: Tasks = .real) -> HTTPOrigin {
    let choice = AddressChoice(
      of: Candidates([Self.url], current: Self.url), streams: StreamAddresses())
    let needs = OriginNeeds(
      client: site,
      failures: Failures(now: { 0 }, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
      films: StreamMaker(
        pieces: PieceClient(client: site, feed: nil, tasks: tasks),
        queue: DispatchJobs("films"),
        layouts: SavedLayouts(read: { _ in nil }, write: { _, _ in }), wishes: StreamWishes(),
        wall: .real),
      tasks: tasks)
    return HTTPOrigin(choice, with: needs) { _ in }
  }

  /// Starts fetches, whose answers are held back.
  private func begin(_ ranges: [ByteRange], at origin: HTTPOrigin) -> [FetchRecorder] {
    site.holdBack()
    return ranges.enumerated().map { number, range in
      let sink = FetchRecorder()
      origin.start(FetchID(number + 1), of: range, urgency: .demand, for: sink)
      return sink
    }
  }

  /// All orders of the steps of the answers.
  private static let orders = orders(left: ranges.map { _ in steps })

  private static func orders(left: [Int]) -> [[Int]] {
    guard left.contains(where: { $0 > 0 }) else { return [[]] }
    return left.indices.filter { left[$0] > 0 }.flatMap { next in
      var rest = left
      rest[next] -= 1
      return orders(left: rest).map { [next] + $0 }
    }
  }

  /// - Parameter isFilm: whether a film can be made of the file.
  @Test(arguments: [true, false])
  func inWhateverOrderAnswersComeAllReadTheSame(isFilm: Bool) async throws {
    let file = isFilm ? FragmentedFile.whole : FragmentedFile.cuts[0].bytes
    site.put(file, at: Self.url)
    let film = isFilm ? try await film() : nil
    var films = 0
    for order in Self.orders {
      let sinks = begin(Self.ranges, at: origin())
      for number in order { site.goOn(with: number) }
      site.goOn()
      await until { sinks.allSatisfy(\.hasEnded) }
      let outcomes = sinks.map { $0.outcome.withLock { $0 } }
      let version = try #require(outcomes[0].version)
      let truth = StreamLayout.isFilm(version) ? try #require(film) : file
      films += StreamLayout.isFilm(version) ? 1 : 0
      for (range, outcome) in zip(Self.ranges, outcomes) {
        #expect(outcome.end == .complete && outcome.version == version, "\(order): \(range)")
        #expect(
          outcome.bytes == Array(truth[range.clamped(to: 0..<truth.count)]), "\(order): \(range)")
      }
    }
    // A fetch that lacks the beginning takes the file for what it says, if it is answered first.
    #expect(isFilm ? films > 0 && films < Self.orders.count : films == 0)
  }

  /// - Parameter early: the steps of other answers that come before the film is looked for.
  @Test(arguments: [0, 1])
  func answersThatComeAfterTheFilmWasProvedAreNotTaken(early: Int) async throws {
    site.put(FragmentedFile.whole, at: Self.url)
    let sinks = begin([0..<4096, 0..<300, 1000..<2000, 0..<4096], at: origin())
    for number in [1, 3] { for _ in 0..<early { site.goOn(with: number) } }
    for _ in 0..<Self.steps { site.goOn(with: 0) }
    site.releaseThose(after: sinks.count)
    await until { sinks[0].hasEnded }
    site.goOn()
    await until { sinks.allSatisfy(\.hasEnded) }

    let film = try #require(sinks[0].outcome.withLock { $0.version })
    #expect(StreamLayout.isFilm(film))
    for sink in sinks {
      let outcome = sink.outcome.withLock { $0 }
      #expect(outcome.end == .complete && outcome.version == film, "\(outcome)")
    }
  }

  private func film() async throws -> [UInt8] {
    let sinks = begin([0..<1 << 20], at: origin())
    site.goOn()
    await until { sinks.allSatisfy(\.hasEnded) }
    return sinks[0].outcome.withLock { $0.bytes }
  }

  /// A fetch looks for the film once more after another one has found that there is none, and reads
  /// the file. Meanwhile a film can be made of what is there.
  @Test func aFilmThatIsFoundAfterTheFileWasReadIsAnotherVersion() async throws {
    site.put(FragmentedFile.cuts[0].bytes, at: Self.url)
    let gate = TaskGate()
    let origin = origin(Tasks(executor: gate, clock: SystemTaskClock()))
    let sinks = begin([0..<4096, 0..<4096], at: origin)
    for _ in 0..<Self.steps { site.goOn(with: 0) }
    // The film of the first is looked for.
    await until { site.log.count == 3 }
    gate.holdNext()
    for _ in 0..<Self.steps { site.goOn(with: 1) }
    #expect(gate.holds)
    site.goOn()
    await until { sinks[0].hasEnded }
    site.put(FragmentedFile.whole, at: Self.url)
    gate.open()
    await until { sinks[1].hasEnded }

    let outcomes = sinks.map { $0.outcome.withLock { $0 } }
    #expect(outcomes[0].version?.length == FragmentedFile.cuts[0].bytes.count)
    #expect(outcomes[0].end == .complete)
    #expect(outcomes[1].version == nil && outcomes[1].end == .changed)
  }
}

/// Runs tasks, and holds one of them until a test says so.
private final class TaskGate: TaskExecutor {
  private struct State {
    var holdsNext = false
    var held: UnownedJob?
  }

  private let state = Locked(State())

  var holds: Bool { state.withLock { $0.held != nil } }

  func holdNext() { state.withLock { $0.holdsNext = true } }

  func open() {
    let held = state.withLock { state in
      defer { state.held = nil }
      return state.held
    }
    if let held { run(held) }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isHeld = state.withLock { state in
      guard state.holdsNext else { return false }
      (state.holdsNext, state.held) = (false, job)
      return true
    }
    if !isHeld { run(job) }
  }

  private func run(_ job: UnownedJob) {
    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
