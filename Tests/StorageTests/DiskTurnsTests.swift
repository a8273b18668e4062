import Dispatch
import Locks
import TestSupport
import Testing

@testable import Storage

/// A few threads wait for disks, and no file may occupy all of them.
@Suite(.timeLimit(.minutes(1))) struct DiskTurnsTests {
  private func started(_ turns: inout DiskTurns<String, Int>) -> [Int] {
    var started: [Int] = []
    while let next = turns.next() { started.append(next.work) }
    return started
  }

  @Test func aFileThatHangsLeavesOthersTheirThreads() {
    var turns = DiskTurns<String, Int>(most: 4, ofEach: 2)
    for work in 0..<10 { turns.add(work, of: "hangs") }
    turns.add(10, of: "other")
    #expect(started(&turns) == [0, 1, 10])
    turns.ended("other")
    turns.add(11, of: "other")
    #expect(started(&turns) == [11])
    turns.ended("hangs")
    #expect(started(&turns) == [2])
  }

  @Test func noMoreThanThereAreThreadsAreUnderWay() {
    var turns = DiskTurns<String, Int>(most: 4, ofEach: 2)
    for file in 0..<6 { turns.add(file, of: "\(file)") }
    #expect(started(&turns) == [0, 1, 2, 3])
    turns.ended("1")
    turns.ended("3")
    #expect(started(&turns) == [4, 5])
  }

  @Test func whatWaitsForOneFileIsDoneWhileAnotherHangs() {
    let readers = DiskReaders(most: 3, ofEach: 2)
    let gate = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<5 {
      readers.read(of: "hangs") {
        gate.wait()
        done.signal()
      }
    }
    let count = Locked(0)
    for _ in 0..<20 {
      readers.read(of: "other") {
        if count.withLock({ count in
          count += 1
          return count == 20
        }) {
          done.signal()
        }
      }
    }
    done.wait()
    #expect(count.withLock { $0 } == 20)
    for _ in 0..<5 { gate.signal() }
    for _ in 0..<5 { done.wait() }
  }

  /// The bytes are compared with their checksum, which the disk must read, too.
  @Test func whatAnUncleanStopLeftHasToComeFromTheDisk() throws {
    let cache = CacheFixture()
    try cache.keep([0..<100], closing: false)
    let file = try cache.directory().file()
    #expect(!file.isAtHand(10..<20))
    var bytes: [UInt8] = []
    let loan = file.lendFromDisk(10..<20) { span in bytes = span.withUnsafeBytes { Array($0) } }
    #expect(loan == .lent)
    #expect(bytes == Pattern.bytes(10..<20))
    #expect(file.isAtHand(10..<20))
    #expect(!file.isAtHand(80..<90))
  }

  @Test func whatHasJustBeenWrittenIsAtHand() throws {
    let cache = CacheFixture()
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<40)
    try file.writeOut()
    // A whole block and half of one, which is only in memory.
    #expect(file.isAtHand(0..<16))
    #expect(file.isAtHand(32..<40))
    #expect(file.isAtHand(100..<110))
    directory.close()
  }
}
