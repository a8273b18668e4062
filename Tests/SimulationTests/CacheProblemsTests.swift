import Logging
import Locks
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import Storage

/// The reasons why nothing is cached, in the log and in the status.
@Suite(.timeLimit(.minutes(1))) struct CacheProblemsTests {
  private struct Recorder: LogHandler {
    let lines: Locked<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      lines.withLock { $0.append("\(event.metadata?["why"] ?? "")") }
    }
  }

  private let lines = Locked<[String]>([])
  private let time = ManualTime()
  private let problems: CacheProblems

  init() throws {
    let cache = try CacheDirectory(
      in: Folder(SimulatedFile(SimulatedDisk(seed: 1)), at: "/simulated"), feedKey: "feed",
      minFree: .bytes(0), limit: nil, blockSize: 16,
      flusher: Flusher(delay: .seconds(1)) { _, _ in })
    problems = CacheProblems(
      of: cache, by: SimulatedClock(time),
      log: Logger(label: "test") { [lines] _ in Recorder(lines: lines) })
  }

  /// Each piece of an answer fails anew, and the pieces of several files come by turns.
  @Test func theReasonsOfSeveralFilesAreLoggedOnceEach() {
    for _ in 0..<100 {
      problems.note("a: EIO")
      problems.note("b: EIO")
    }
    #expect(lines.withLock { $0 } == ["a: EIO", "b: EIO"])
    #expect(problems.current == "b: EIO")
  }

  @Test func aReasonThatDoesNotComeAgainIsOver() {
    problems.note("a: EIO")
    time.advance(by: .seconds(9))
    #expect(problems.current == "a: EIO")
    time.advance(by: .seconds(2))
    #expect(problems.current == nil)
  }
}
