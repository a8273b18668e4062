import TestSupport
import Testing

extension Promises {
  /// A daemon that is killed at any point of a fill: no byte is wrong afterwards, the index agrees
  /// with the data, and bytes that were whole are not fetched again.
  @Suite(.timeLimit(.minutes(10)), .enabled(if: canMount)) struct FillKillTests {
    private static let block = 64 << 10
    /// The number of trials at the same time.
    private static let crowd = 2
    /// Bytes that were under way at 100 MB/s, in sockets and begun blocks. A daemon that has to wait
    /// for the processor leaves more of them in its sockets.
    private static let maxFetchedAgain = (2 << 20) * (Figure.isAlone ? 1 : 4)

    @Test(arguments: Scale.trials(4, of: StoppedFill.trials / crowd))
    func aKillAtAnyPointOfAFillCostsOnlyTheBytesUnderWay(group: Int) throws {
      let crowd = Crowd()
      for member in 0..<Self.crowd {
        try crowd.join { try Self.kill(try StoppedFill(group * Self.crowd + member)) }
      }
      #expect(crowd.wait(until: .now + .seconds(120)), "a trial never ends")
      #expect(crowd.failures == [])
    }

    private static func kill(_ fill: StoppedFill) throws {
      do {
        let again = try trial(fill)
        print("kills of a fill, \(fill): \(again.map { "\($0) bytes again" } ?? "1")")
      } catch {
        throw TestToolError("\(fill): \(error)")
      }
    }

    /// Returns the number of bytes that were fetched twice; nil if some had to be.
    private static func trial(_ fill: StoppedFill) throws -> Int? {
      let feed = fill.feed
      try feed.mount(options: fill.deed.options)
      let helpers = try feed.helpers()
      let had = try fill.begin { try feed.kill(with: helpers) }
      try feed.settle()
      let before = try feed.mediaBytes()

      try feed.origin.network(latency: .zero, rate: 0)
      try feed.origin.reset()
      try feed.mount(options: fill.deed.options)
      try fill.expectSound()
      try fill.expectRight()
      try feed.settle()
      let requests = try feed.mediaRequests()
      for (number, count) in had { try expectNoneAgain(number, count, requests) }
      let sent = before + requests.reduce(0) { $0 + $1.bytesSent }
      let again = sent - FillDeed.files.reduce(0) { $0 + $1.size }
      guard !fill.deed.keepsAll || again <= maxFetchedAgain else {
        throw TestToolError("\(again) bytes were fetched again")
      }
      try fill.expectSound()
      try fill.expectRightOffline()
      return fill.deed.keepsAll ? again : nil
    }

    /// Checks that no whole block is fetched again of which a reader had the bytes.
    private static func expectNoneAgain(
      _ number: Int, _ count: Int, _ requests: [LoggedRequest]
    ) throws {
      let whole = 0..<count / block * block
      let again = requests.filter { request in
        guard request.bytesSent > 0, request.target == FillDeed.files[number - 1].path else {
          return false
        }
        // The next reader compares the last bytes of an answer whose end was not seen.
        return request.askedFor.map { $0.dropFirst(4096).overlaps(whole) } ?? true
      }
      guard again.isEmpty else {
        throw TestToolError(
          "\(again.map { $0.range ?? "all" }) of \(number) again, of which \(count) were read")
      }
    }
  }
}
