import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Whichever disk call of the daemon fails or is its last: reads get right bytes or an error, no
  /// wait is endless, and the next mount has lost nothing.
  @Suite(
    .timeLimit(.minutes(10)), .enabled(if: isInstalled("strace"), "strace is not installed"))
  struct InjectionTests {
    /// The number of parts that share all injections: each part is short.
    private static let parts = 128
    private static let all = Result { try injections() }

    @Test(arguments: Scale.trials(3, of: parts)) func everyCallOfAScriptMayFail(part: Int) throws {
      let all = try Self.all.get()
      let range = part * all.count / Self.parts..<(part + 1) * all.count / Self.parts
      for injection in all[range] {
        do {
          try InjectionTrial().run(injection)
        } catch {
          Issue.record("\(injection): \(error)")
        }
      }
      print("injections \(range) of \(all.count): \(range.count)")
    }

    private static let punches = [Injection.Effect.io, .full, .kill].flatMap { effect in
      (1...8).map { (effect, $0) }
    }

    /// The cache is full, so files that were played before are punched.
    @Test(
      .enabled(if: AttachedTracer.isThere, "strace is not root's"),
      arguments: Scale.cases(3, of: punches))
    func aPunchThatFailsOrIsTheLastCallLeavesNothingWrong(
      effect: Injection.Effect, call: Int
    ) throws {
      let feed = try MountedFeed()
      try feed.serve(FillDeed.files)
      try feed.mount(options: FillDeed.evicting.options)
      #expect(try ChildProcess.run(["cat", feed.path(1)]).status == 0)
      try feed.settle()
      let tracer = try AttachedTracer(
        to: feed,
        ["-e", "trace=fallocate", "-e", "inject=fallocate:\(effect.rawValue):when=\(call)"])
      defer { tracer.detach() }
      let reader = try ChildProcess(["cat"] + [2, 3, 5, 1, 2, 3].map { feed.path($0) })
      let status = try #require(reader.wait(timeout: .seconds(30)))
      #expect(status == 0 || effect == .kill)
      tracer.detach()
      try feed.kill()
      try feed.mount(options: FillDeed.evicting.options)
      try FillDeed.expectRight(in: feed)
      #expect(try feed.cache("verify").out.contains("nothing is wrong"))
    }

    /// Returns each effect on each call that the script makes without faults.
    private static func injections() throws -> [Injection] {
      let trial = try InjectionTrial()
      let log = trial.folder + "/calls"
      try trial.play(by: Injection.counting(to: log))
      let all = Injection.all(in: contents(of: log))
      guard all.count > parts else { throw TestToolError("strace has seen too little") }
      return all
    }
  }
}
