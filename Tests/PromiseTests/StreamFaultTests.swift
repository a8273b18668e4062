import TestSupport
import Testing

extension Promises {
  /// TLS connections and HTTP/2 streams that break: reads give right bytes or an error, in time,
  /// and all goes on after the fault.
  @Suite(.timeLimit(.minutes(3)), .unless(Gate.obstacle))
  struct StreamFaultTests {
    /// One fault of one film.
    private struct Case {
      let fault: Gate.Fault
      let phase: Gate.Phase
    }

    private static func cases(_ faults: [Gate.Fault]) -> [Case] {
      faults.flatMap { fault in
        // A wrong length is in the head.
        let phases: [Gate.Phase] = [.more, .less].contains(fault) ? [.head] : Gate.Phase.allCases
        return phases.map { Case(fault: fault, phase: $0) }
      }
    }

    /// Over HTTP/1.1 each film has its own connections.
    @Test(arguments: [1, 3, -1]) func connectionsThatBreak(times: Int) throws {
      let cases = Self.cases([.alert, .close, .garbage, .cut, .stall, .more, .less])
      let trial = try Self.trial(cases, "http/1.1", times)
      try expectTheBest(trial, cases, times, try Self.readers(of: trial, cases.indices))
    }

    @Test(arguments: [1, 3, -1]) func streamsThatBreak(times: Int) throws {
      let cases = Self.cases([.short, .reset, .refused, .stall, .more, .less])
      let trial = try Self.trial(cases, "h2", times)
      try expectTheBest(trial, cases, times, try Self.readers(of: trial, cases.indices))
    }

    /// Each break ends all streams of its connection: the phases run one after the other, and each
    /// fault has its own mount.
    @Test(arguments: [1, 3, -1]) func connectionsWithStreamsThatBreak(times: Int) throws {
      let faults: [Gate.Fault] = [.alert, .close, .garbage, .cut, .goaway, .leaving]
      let trials = try faults.map { fault in
        let cases = Self.cases([fault])
        return (cases: cases, trial: try Self.trial(cases, "h2", times))
      }
      for phase in Gate.Phase.allCases.indices {
        let readers = try trials.map { try Self.readers(of: $0.trial, phase..<phase + 1) }
        for (one, readers) in zip(trials, readers) {
          try expectTheBest(one.trial, one.cases, times, readers)
        }
      }
    }

    /// Eight films over one connection, one of which stalls.
    @Test func aStalledStreamHoldsUpNoneOfTheOthers() throws {
      let trial = try GateTrial(films: 9, protocols: ["h2"], readTimeout: 12)
      #expect(trial.becomesRight(1))
      try trial.gate.fault(.stall, .middle, below: trial.path(4), times: -1)
      let readers = try (2...9).map { (number: $0, child: try trial.reader(of: $0)) }
      for (number, reader) in readers where number != 4 {
        #expect(reader.wait(timeout: .seconds(60)) == 0, "\(number): \(reader.errors.text)")
        #expect(reader.output.bytes == trial.truth(of: number), "\(number)")
      }
      let stalled = try #require(readers.first { $0.number == 4 }).child
      #expect(stalled.wait(timeout: .seconds(60)) != nil)
      #expect(trial.truth(of: 4).starts(with: stalled.output.bytes))
      let log = try trial.gate.log()
      #expect(log.peakStreams > 1 && log.protocols.allSatisfy { $0.hasSuffix("h2") }, "\(log)")
      try trial.gate.clear()
      #expect(trial.becomesRight(4))
    }

    // MARK: Private

    private static func trial(
      _ cases: [Case], _ name: String, _ times: Int
    ) throws -> GateTrial {
      let trial = try GateTrial(
        films: cases.count + GateTrial.fresh - 1, protocols: [name], readTimeout: times < 0 ? 4 : 12
      )
      #expect(trial.becomesRight(1))
      for (index, one) in cases.enumerated() {
        try trial.gate.fault(
          one.fault, one.phase, below: trial.path(index + GateTrial.fresh), times: times)
      }
      return trial
    }

    private typealias Readers = [(index: Int, child: ChildProcess)]

    private static func readers(of trial: GateTrial, _ cases: Range<Int>) throws -> Readers {
      try cases.map { ($0, try trial.reader(of: $0 + GateTrial.fresh)) }
    }

    /// Expects right bytes or an error, in time. The mount lives, and reads on after the fault.
    private func expectTheBest(
      _ trial: GateTrial, _ cases: [Case], _ times: Int, _ readers: Readers
    ) throws {
      defer { Self.expectMet(trial, readers.map { cases[$0.index] }) }
      let list = try ChildProcess.run(["ls", trial.feed.mountPoint], timeout: .seconds(10))
      #expect(list.status == 0 && list.out.contains("0002.mp4"))
      for (index, reader) in readers {
        let one = cases[index]
        let what = "\(one.fault) \(one.phase) × \(times): \(reader.errors.text)"
        let status = reader.wait(timeout: .seconds(60))
        let bytes = reader.output.bytes
        #expect(
          trial.truth(of: index + GateTrial.fresh).starts(with: bytes), "wrong bytes: \(what)")
        switch status {
        case 0: #expect(bytes.count == GateTrial.size, "\(what)")
        case 1: #expect(saidError(reader), "\(what)")
        default: Issue.record("ended with \(status ?? -1): \(what)")
        }
        // A fault that passes is not noticed, unless its silence took all of the timeout.
        if times == 1 || times == 3 && one.fault != .stall { #expect(status == 0, "\(what)") }
      }
      try recover(trial, readers.map(\.index), cases, times)
    }

    private static func expectMet(_ trial: GateTrial, _ cases: [Case]) {
      let met = (try? trial.gate.log().met) ?? []
      for one in cases { #expect(met.contains("\(one.fault) \(one.phase)")) }
    }

    private func recover(
      _ trial: GateTrial, _ indices: [Int], _ cases: [Case], _ times: Int
    ) throws {
      try trial.gate.clear()
      // Sets the faults of the other films anew: each must meet its own, also if it is preloaded.
      for (index, one) in cases.enumerated() where !indices.contains(index) {
        try trial.gate.fault(
          one.fault, one.phase, below: trial.path(index + GateTrial.fresh), times: times)
      }
      for index in indices {
        #expect(trial.becomesRight(index + GateTrial.fresh), "\(cases[index]) × \(times)")
      }
      #expect(try trial.isRight(1) && trial.feed.process.isRunning)
    }
  }
}
