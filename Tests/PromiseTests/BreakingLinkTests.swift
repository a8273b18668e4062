import TestSupport
import Testing

extension Promises {
  /// A link that ends every answer after some bytes.
  @Suite(.timeLimit(.minutes(2)), .enabled(if: canMount)) struct BreakingLinkTests {
    @Test(arguments: [OriginFault.end, .reset], [1, 8, 48, 63])
    func itGivesTheWholeFileWithNoMorePausesThanAnswersWithoutAByte(
      kind: OriginFault, kib: Int
    ) throws {
      let size = min(300 * kib, 4000) << 10
      let feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: size)])
      try feed.origin.fault(kind, below: "/pattern/a", after: kib << 10)
      try feed.mount()
      let start = ContinuousClock.now

      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<size, seed: 1))
      let time = ContinuousClock.now - start
      try feed.settle()
      let requests = try feed.mediaRequests()
      let fruitless = requests.count { $0.bytesSent == 0 }
      print(
        "breaks: \(kind) every \(kib) KiB of \(size >> 10): \(time), \(requests.count) requests,"
          + " \(fruitless) without a byte, \(requests.reduce(0) { $0 + $1.bytesSent } - size) bytes twice"
      )
      // The backoff is half a second at first; the other 20 s are for the work.
      #expect(time < (.seconds(20) + .milliseconds(500 * fruitless)).here)
      #expect(fruitless <= requests.count / 20)
    }
  }
}
