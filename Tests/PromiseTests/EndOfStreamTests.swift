import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Films without a length over HTTP/2, where a frame tells that the body has ended (RFC 9113 §8.1).
  @Suite(
    .timeLimit(.minutes(3)), .unless(Gate.obstacle)
  )
  struct EndOfStreamTests {
    private static let size = 3 << 20 | 12_345

    private let truth = Pattern.bytes(0..<size, seed: 1)

    /// Returns a mounted feed behind a gate that speaks HTTP/2 alone.
    private func feed(
      on drive: DriveKind, fault: Gate.Fault? = nil, _ phase: Gate.Phase = .middle
    ) throws -> (feed: any Drive, gate: Gate) {
      let feed = try drive.drive()
      let gate = try Gate(before: feed.origin)
      try gate.serve(.good, protocols: ["h2"])
      var film = PatternFile(name: "a", size: Self.size)
      film.url = gate.url(film.path)
      try feed.serve([film])
      try feed.origin.fault(.status200chunked, below: "/pattern/a")
      if let fault { try gate.fault(fault, phase, below: "/pattern/a", times: -1) }
      try feed.mount(
        gate.url("/feed"), options: ["--cacert", gate.authority, "--read-timeout", "5"])
      return (feed, gate)
    }

    /// No second request is needed, as after a connection that only closes.
    @Test(arguments: DriveKind.all)
    func theEndOfAStreamProvesABodyWithoutLength(on drive: DriveKind) throws {
      let (feed, gate) = try feed(on: drive)
      for _ in 1...2 {
        #expect(try feed.bytes(of: feed.path(1)) == truth)
        #expect(try feed.look(at: feed.path(1)).size == Self.size)
      }
      try feed.settle()
      #expect(try feed.mediaRequests().count == 1)
      #expect(try feed.status().files[0].state == .complete)
      #expect(try gate.log().protocols.allSatisfy { $0.hasSuffix("h2") })
    }

    /// The last bytes are asked for, which never came, and then all from the first on.
    @Test(arguments: DriveKind.all, [Gate.Phase.middle, .end])
    func aStreamThatIsResetIsAnErrorAndNeverAShortRead(
      on drive: DriveKind, phase: Gate.Phase
    ) throws {
      let (feed, gate) = try feed(on: drive, fault: .reset, phase)
      let file = try feed.open(feed.path(1))
      #expect(try file.failure(of: Self.size - 4096..<Self.size + 4096) == EIO)
      #expect(try feed.failure(ofReading: feed.path(1)) == EIO)
      #expect(try feed.details(of: feed.path(1)).file.failure != nil)
      let met = try gate.log().met
      #expect(met.contains("reset \(phase.rawValue)"), "\(met)")

      try gate.clear()
      // The pause behind many failures may be longer than a read waits.
      #expect(eventually(within: .seconds(20)) { (try? feed.bytes(of: feed.path(1))) == truth })
      #expect(try file.read(1 << 20..<2 << 20) == Array(truth[1 << 20..<2 << 20]))
    }
  }
}
