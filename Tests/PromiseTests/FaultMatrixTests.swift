import TestSupport
import Testing

extension Promises {
  /// Every fault of an origin × four places in a film × once, three times, for ever. A run tries a third
  /// of these trials, and with each fault three or more; a full count tries all.
  ///
  /// A reader gets right bytes or an error, and in time. Other readers do not notice. After the
  /// fault, everything can be read.
  @Suite(.timeLimit(.minutes(8))) struct FaultMatrixTests {
    /// The number of readers that wait at one time.
    private static let crowd = 40

    @Test(arguments: MatrixFamily.allCases)
    func whateverAnOriginAnswersNoByteIsWrongAndNobodyHangs(family: MatrixFamily) throws {
      let cases = family.faults.flatMap { fault in
        MatrixPlace.allCases.flatMap { place in
          MatrixStay.allCases.map { (fault, place, $0) }
        }
      }
      let some = Scale.cases((cases.count + 2) / 3, of: cases)
      let mount = try MatrixMount(films: some.map(\.0.announced))
      let trials = some.enumerated().map { film, trial in
        MatrixTrial(trial.0, trial.1, trial.2, film: film, on: mount)
      }

      try run(trials)

      for trial in trials where !trial.result.complaints.isEmpty {
        Issue.record("\(trial): \(trial.result.complaints.joined(separator: "; "))")
      }
      #expect(try mount.feed.process.isRunning)
      #expect(try ChildProcess.run(["ls", mount.feed.mountPoint]).status == 0)
      MatrixScore(family: family, trials: trials).say()
    }

    /// Runs the trials against the feed's order: a playing film preloads the heads of the next
    /// ones. That would meet their faults, or cache the heads before the faults exist.
    private func run(_ trials: [MatrixTrial]) throws {
      var waiting = trials[...]
      var running: [MatrixTrial] = []
      while let next = waiting.popLast() {
        try next.begin()
        running.append(next)
        while running.count == Self.crowd { try goOn(&running) }
      }
      while !running.isEmpty { try goOn(&running) }
    }

    /// Advances the oldest trial, and puts it behind the others unless it is over.
    private func goOn(_ running: inout [MatrixTrial]) throws {
      let oldest = running.removeFirst()
      if try !oldest.goOn() { running.append(oldest) }
    }
  }
}
