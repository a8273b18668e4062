import Dispatch
import Glibc
import Locks
import Testing

@testable import Storage

/// Work under one name never waits for work under another.
@Suite(.timeLimit(.minutes(1))) struct NamedLocksTests {
  private let locks = NamedLocks<String>()
  private let queue = DispatchQueue(label: "others", attributes: .concurrent)

  @Test func oneThatTakesLongHoldsUpNoOther() {
    locks.holding("long") {
      let done = DispatchSemaphore(value: 0)
      queue.async { [locks] in
        for name in ["a", "b", "a"] { locks.holding(name) {} }
        done.signal()
      }
      #expect(done.wait(timeout: .now() + 20) == .success)
    }
  }

  /// Each thread comes back for the same thing while others are at it or wait for it.
  @Test func whatIsDoneForOneThingIsDoneByOneAtATime() {
    let (count, most) = (Locked(0), Locked(0))
    DispatchQueue.concurrentPerform(iterations: 400) { [locks] number in
      locks.holding("\(number % 8 == 0)") {
        guard number % 8 != 0 else { return }
        let inside = count.withLock { count in
          count += 1
          return count
        }
        most.withLock { $0 = max($0, inside) }
        for _ in 0..<20 { sched_yield() }
        count.withLock { $0 -= 1 }
      }
    }
    #expect(most.withLock { $0 } == 1)
  }

  @Test func whoHasAllWaitsForThoseWhoAreAtIt() {
    let (begun, order) = (DispatchSemaphore(value: 0), Locked<[String]>([]))
    let goOn = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    queue.async(group: done) { [locks] in
      locks.holding("a") {
        begun.signal()
        goOn.wait()
        order.withLock { $0.append("one") }
      }
    }
    begun.wait()
    queue.async(group: done) { [locks] in
      locks.holdingAll { order.withLock { $0.append("all") } }
    }
    goOn.signal()
    done.wait()
    #expect(order.withLock { $0 } == ["one", "all"])
  }
}
