import Glibc
import TestSupport
import Testing

extension Promises {
  /// Whatever an origin answers: what is read is right, or an error, and in time.
  @Suite(.timeLimit(.minutes(1))) struct ResponseCheckTests {
    /// Wrong in what is said.
    private static let words = [
      FaultCase(.wrongrange, .fails, ["value": "bytes 0-9/1048576"]),
      FaultCase(.wrongrange, .fails, ["value": "bytes 7-393222/1048576"]),
      FaultCase(.wrongrange, .fails, ["value": "pages 1-2/3"]),
      FaultCase(.norange, .fails),
      FaultCase(.tworanges, .fails),
      FaultCase(.contentlength, .fails),
      FaultCase(.html, .fails),
      FaultCase(.html206, .fails),
      FaultCase(.gzip, .fails),
      FaultCase(.multipart, .fails),
      FaultCase(.bigheaders, .fails),
      FaultCase(.status200chunked, .fails),
      FaultCase(.redirect, .fails, mostRequests: 21),
    ]

    private static let statuses = [429, 500, 502, 503, 504, 408, 418, 204, 304, 416].map {
      FaultCase(.status, .fails, ["code": "\($0)"])
    }

    /// Wrong in what goes over the wire.
    private static let wire = [
      FaultCase(.chunkedunended, .either),
      FaultCase(.short, .either, ["by": "1"]),
      FaultCase(.short, .either, ["by": "100000"]),
      // What is too much may come when the connection is used again, and be taken for an answer.
      FaultCase(.long, .either, ["by": "100000"]),
      // Nothing answers: these are probes, which are bounded by time.
      FaultCase(.reset, .fails, mostRequests: 16),
      FaultCase(.reset, .either, after: 1000),
      FaultCase(.reset, .right, after: 200_000),
      FaultCase(.stall, .fails),
      FaultCase(.stall, .either, after: 1000),
      FaultCase(.trickle, .fails, after: 1000),
      FaultCase(.garbage, .fails),
      FaultCase(.slowhead, .right, ["value": "500"]),
    ]

    /// Without ranges, or with words about the version that promise less.
    private static let lesser = [
      FaultCase(.status200, .right), FaultCase(.weaketag, .either), FaultCase(.noetag, .either),
      FaultCase(.etag, .either, ["value": "\"another\""]),
    ]

    @Test(arguments: [words + lesser, statuses + wire])
    func aFaultThatStaysGivesNoWrongByteAndEndsInTime(faults: [FaultCase]) throws {
      try judge(faults, times: -1)
    }

    /// What went wrong once is asked again, inside of the read that waits.
    @Test func aFaultThatGoesAwayIsNotSeenByTheReader() throws {
      // An answer that trickles never ends by itself.
      let passing = (Self.words + Self.statuses + Self.wire).filter { $0.kind != .trickle }
      let faults = passing.map { FaultCase($0.kind, .right, after: $0.after, $0.parameters) }
      try judge(faults, times: 1)
    }

    /// All at the same time: most wait for the read timeout.
    private func judge(_ faults: [FaultCase], times: Int) throws {
      for trial in try faults.map({ try FaultTrial($0, times: times) }) { try trial.judge() }
    }
  }
}
