import SystemPackage
import TestSupport
import Testing

/// The n-th call that changes the disk fails, for each n of a life that fills, clears, evicts and
/// closes files: every reader is served, and no wrong byte is kept. A full count tries each n, and
/// others one in four.
///
/// `FEEDFS_SEED=n` makes the n-th call alone fail, and tells the story.
@Suite(.timeLimit(.minutes(10)))
struct WriteFaultTests {
  @Test(arguments: [Errno.ioError, .noSpace], [false, true])
  func whicheverWriteFailsReadersAreServedAndNothingWrongIsKept(errno: Errno, stays: Bool)
    async throws
  {
    let only = Scale.only
    let pace = Scale.isFull ? 1 : 4
    let (calls, complaints) = try await onOwnThread {
      var complaints: [String] = []
      var call = only ?? 1 + Int(Scale.seed % UInt(pace))
      while complaints.isEmpty {
        let failure = SimulatedDisk.Failure(call: call, errno: errno, stays: stays)
        let life = Simulation(seed: Self.seed, isTelling: only != nil)
        if let complaint = life.fill(failing: failure) {
          complaints.append("call \(call): \(complaint)\n\(life.story.joined(separator: "\n"))")
        }
        guard only == nil, life.disk.hasFailed else { break }
        call += pace
      }
      return (call - pace, complaints)
    }
    for complaint in complaints { Issue.record("\(complaint)") }
    print("write faults, \(errno), \(stays ? "for ever" : "once"): \(calls)")
    #expect(calls > 100 || only != nil, "the life changes the disk too seldom")
  }

  /// A seed whose feed has the files that the life needs.
  private static let seed =
    (0...).lazy.map { UInt64($0) }.first { Simulation(seed: $0).suitsFills } ?? 0
}
