import Locks
import Testing

@testable import FeedMount

@Suite(.timeLimit(.minutes(1))) struct FeedFactsTests {
  @Test func noFactOvertakesThoseThatWaited() {
    let facts = FeedFacts()
    let names = Locked<[String]>([])
    facts.post(.nameChanged("1"))
    facts.post(.nameChanged("2"))

    facts.deliver { fact in
      guard case .nameChanged(let name) = fact else { return }
      names.withLock { $0.append(name) }
      // This comes while "2" still waits.
      if name == "1" { facts.post(.nameChanged("3")) }
    }
    facts.post(.nameChanged("4"))

    #expect(names.withLock { $0 } == ["1", "2", "3", "4"])
  }

  @Test func afterTheEndNoFactIsTaken() {
    let facts = FeedFacts()
    let count = Locked(0)
    facts.post(.mounted)
    facts.deliver { _ in
      count.withLock { $0 += 1 }
      facts.end()
    }

    facts.post(.mounted)

    #expect(count.withLock { $0 } == 1)
  }
}
