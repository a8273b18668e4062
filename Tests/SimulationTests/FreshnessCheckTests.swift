import Blocks
import Locks
import Testing

@testable import FeedMount
@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct FreshnessCheckTests {
  private let client = ScriptedClient()
  private let results = Locked<[FreshnessCheck.Result]>([])

  private func check(_ representation: Representation, firstBlock: UInt32? = nil) {
    FreshnessCheck.start(
      representation, at: "http://o/1", firstBlock: firstBlock, for: nil, by: client
    ) { [results] result in results.withLock { $0.append(result) } }
  }

  private var hasChanged: Bool {
    results.withLock { results in
      results.contains { if case .changed = $0 { true } else { false } }
    }
  }

  /// A video that was opened during its upload must not stay empty for ever.
  @Test func whatWasEmptyIsLookedAtAgain() {
    check(Representation(length: 0, validator: .none))
    #expect(client.requests.map(\.isCheck) == [true])
    client.end(0, .changed)

    #expect(hasChanged)
  }

  @Test func withoutAVersionTheFirstBlockIsComparedOrNothingCanBeTold() {
    check(Representation(length: 5, validator: .none), firstBlock: 7)
    #expect(client.requests.map(\.range) == [.bytes(0..<5)])
    client.end(0, .complete)
    #expect(hasChanged)

    check(Representation(length: 5, validator: .none))
    #expect(client.requests.count == 1)
  }

  @Test func aVersionIsAskedFor() {
    check(Representation(length: 5, validator: .entityTag("\"1\"")))

    #expect(client.requests.map(\.isCheck) == [true])
  }
}
