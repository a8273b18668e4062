import Glibc
import TestSupport
import Testing

extension Promises {
  /// The matrix with other programs, for the table in docs/reliability.md. Nothing is promised of
  /// them, so it only prints what it saw. By hand: FEEDFS_MATRIX_PEERS=1.
  @Suite(
    .timeLimit(.minutes(30)),
    .enabled(if: getenv("FEEDFS_MATRIX_PEERS") != nil, "only by hand: FEEDFS_MATRIX_PEERS=1"))
  struct PeerMatrixTests {
    /// The number of mounts at one time.
    private static let crowd = 16

    @Test(arguments: MatrixPeer.allCases) func whatOthersMakeOfTheSameFaults(peer: MatrixPeer)
      throws
    {
      guard isInstalled(peer.rawValue) else { return print("matrix: \(peer) is not installed") }
      let origin = try OriginProcess()
      var waiting = MatrixFamily.allCases.flatMap(\.faults).flatMap { fault in
        [MatrixStay.once, .forever].map { (fault: fault, stay: $0) }
      }[...]
      var running: [(fault: MatrixFault, stay: MatrixStay, trial: PeerTrial)] = []
      var totals: [PeerTrial.Verdict: Int] = [:]
      var number = 0
      while !waiting.isEmpty || !running.isEmpty {
        if running.count < Self.crowd, let next = waiting.popFirst() {
          number += 1
          let trial = try PeerTrial(peer, next.fault, next.stay, number: number, origin: origin)
          running.append((next.fault, next.stay, trial))
        } else {
          let oldest = running.removeFirst()
          let verdict = try oldest.trial.verdict(oldest.fault)
          totals[verdict, default: 0] += 1
          print("matrix: \(peer): \(oldest.fault.name), \(oldest.stay): \(verdict)")
        }
      }
      let words = PeerTrial.Verdict.allCases.map { "\($0) \(totals[$0, default: 0])" }
      print("matrix: \(peer): \(number) trials: \(words.joined(separator: ", "))")
    }
  }
}
