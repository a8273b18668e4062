import TestSupport
import Testing

extension Promises {
  /// The power goes at any point of a fill: no byte is wrong afterwards, and everything can be read.
  @Suite(.timeLimit(.minutes(10)), .enabled(if: canMount)) struct FillCutTests {
    /// The number of trials at the same time.
    private static let crowd = 2

    /// Half of the trials have a disk with a cache of its own, which a cut empties.
    @Test(
      arguments: PowerDisk.FileSystem.allCases.filter(\.isThere),
      Scale.trials(3, of: StoppedFill.trials / crowd))
    func aCutAtAnyPointOfAFillLeavesNothingWrong(_ kind: PowerDisk.FileSystem, group: Int) throws {
      let crowd = Crowd()
      for member in 0..<Self.crowd {
        try crowd.join { try Self.cut(group * Self.crowd + member, on: kind) }
      }
      #expect(crowd.wait(until: .now + .seconds(180)), "a trial never ends")
      #expect(crowd.failures == [])
    }

    private static func cut(_ number: Int, on kind: PowerDisk.FileSystem) throws {
      let fill = try StoppedFill(number)
      let losesUnflushed = DiskServer.isThere && (fill.index / 2 + number / 25) % 2 == 1
      do {
        let disk = try PowerDisk(
          for: fill.feed, kind, losingUnflushed: losesUnflushed ? number : nil)
        let cuts = try trial(fill, on: disk, cutsTwice: number % 3 == 0)
        print("power cuts of a fill on \(kind), \(fill), unflushed too \(losesUnflushed): \(cuts)")
      } catch {
        throw TestToolError("\(kind), \(fill), unflushed too \(losesUnflushed): \(error)")
      }
    }

    /// Returns the number of cuts. The second one comes while the remains of the first are compared.
    private static func trial(
      _ fill: StoppedFill, on disk: PowerDisk, cutsTwice: Bool
    ) throws -> Int {
      let feed = fill.feed
      try feed.mount(options: fill.deed.options)
      let helpers = try feed.helpers()
      _ = try fill.begin {
        try disk.cut()
        try feed.kill(with: helpers)
      }
      try disk.restore()
      try feed.origin.network(latency: .zero, rate: 0)
      if cutsTwice {
        try feed.mount(options: fill.deed.options)
        let reader = try ChildProcess(["cat", feed.path(1), feed.path(2)])
        _ = reader.wait(timeout: .milliseconds(20))
        try disk.cut()
        try feed.kill()
        _ = reader.wait(timeout: .seconds(20))
        try disk.restore()
      }
      try feed.mount(options: fill.deed.options)
      try fill.expectRight()
      try fill.expectSound()
      try fill.expectRightOffline()
      try feed.kill()
      return cutsTwice ? 2 : 1
    }
  }
}
