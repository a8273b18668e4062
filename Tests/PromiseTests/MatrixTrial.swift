import TestSupport

/// One fault at one place, for a number of answers, met by one reader.
final class MatrixTrial: CustomStringConvertible {
  let fault: MatrixFault
  let place: MatrixPlace
  let stay: MatrixStay
  private let film: Int
  private let mount: MatrixMount
  private var reader: ChildProcess?
  /// The time when the fault was removed.
  private var cleared: ContinuousClock.Instant?
  /// The time that readers have taken since then.
  private var waited = Duration.zero
  private(set) var result = MatrixResult()

  init(
    _ fault: MatrixFault, _ place: MatrixPlace, _ stay: MatrixStay, film: Int, on mount: MatrixMount
  ) {
    self.fault = fault
    self.place = place
    self.stay = stay
    self.film = film
    self.mount = mount
  }

  var description: String { "\(fault.name), \(place), \(stay)" }

  /// Makes the answers wrong from now on, and starts a reader.
  func begin() throws {
    var parameters = fault.parameters
    let there = "/pattern/there\(film).mp4?size=\(MatrixMount.size)&seed=\(seed)"
    parameters["to"] = parameters["to"].map { $0 == "{there}" ? there : $0 }
    try mount.feed.origin.fault(
      fault.kind, below: mount.prefix(of: film), times: stay.rawValue,
      after: fault.isInBody ? 0 : nil, offset: place.rawValue, parameters)
    reader = try mount.reader(of: film)
  }

  /// Waits for the reader's end, and notes complaints about it. Starts another reader if the fault
  /// has to go first.
  ///
  /// - Returns: whether the trial is over.
  func goOn() throws -> Bool {
    guard let reader, let status = reader.wait(timeout: .seconds(60)) else {
      throw TestToolError("\(self): the reader cannot be ended")
    }
    self.reader = nil
    let took = Int(reader.errors.text.split(separator: "\n").last ?? "") ?? 0
    judge(reader.output.bytes, status, reader.errors.text)
    if let cleared { return try recovered(status, after: took, since: cleared) }

    result.milliseconds = took
    result.isRight = status == 0
    judge(try mount.feed.origin.log(below: mount.prefix(of: film)))
    let passing = stay == .forever ? fault.staying : fault.passing
    let outcome = isVerdict ? .fails : passing
    switch outcome {
    case .right where status != 0: result.complain("an error: \(reader.errors.text)")
    case .fails where status == 0: result.complain("no error")
    case .right, .fails, .either: break
    }
    result.others = try mount.timeForOthers()
    // The limit itself takes time to find, so it is found where it matters.
    if result.others > Figure.listing.time, result.others > Figure.listing.time.here {
      result.complain("others took \(result.others)")
    }
    guard fault.recovers, !isVerdict,
      stay == .forever || status != 0 || fault.truth == .compared
    else { return true }
    try mount.feed.origin.clear(below: mount.prefix(of: film))
    cleared = .now
    self.reader = try mount.reader(of: film)
    return false
  }

  /// - Parameter took: the milliseconds of the last read. A crowd of trials is between two reads,
  ///   so the clock shows more than the film's reader has waited.
  private func recovered(
    _ status: Int32, after took: Int, since cleared: ContinuousClock.Instant
  ) throws -> Bool {
    waited += .milliseconds(took)
    if status == 0 {
      result.recovery = waited
      if waited > Figure.goingOn.time, waited > Figure.goingOn.time.here {
        result.complain("it went on after \(waited)")
      }
      return true
    }
    guard .now - cleared < .seconds(30) else {
      result.complain("no recovery")
      return true
    }
    reader = try mount.reader(of: film)
    return false
  }

  private func judge(_ bytes: [UInt8], _ status: Int32, _ errors: String) {
    if status == 137 { result.complain("a reader waits on and on") }
    if !isTrue(bytes) { result.complain("wrong bytes") }
    if status == 0, bytes.count != MatrixMount.size {
      result.complain("\(bytes.count) bytes, and no error")
    }
    let said = ["Input/output error", "Stale file handle"].contains { errors.contains($0) }
    if status != 0, status != 137, !said { result.complain("it ended with: \(errors)") }
  }

  /// Checks the origin's log of the film.
  private func judge(_ log: [LoggedRequest]) {
    result.requests = log.count
    if log.count > (isVerdict ? fault.refusedAnswers : fault.maxRequests) {
      result.complain("\(log.count) requests")
    }
    result.meetings = log.count { $0.fault == fault.kind.rawValue }
    if !meetings.contains(result.meetings) {
      result.complain("the fault was met \(result.meetings) times")
    }
  }

  /// How often a reader that came to its end must have met the fault.
  private var meetings: ClosedRange<Int> {
    guard fault.isServed else { return 0...0 }
    if isVerdict { return fault.refusedAnswers...fault.refusedAnswers }
    let isInTheWay = fault.staying == .fails
    switch stay {
    case .once: return 1...1
    // A reader that got everything although the fault blocks it has met all three.
    case .thrice: return isInTheWay && result.isRight ? 3...3 : 1...3
    // The number of requests before the timeout depends on the machine.
    case .forever: return 1...Int.max
    }
  }

  /// True when the fault is in the very first answers: the address is never believed.
  private var isVerdict: Bool {
    place == .start && fault.isRefusal && (stay != .once || fault.refusedAnswers == 1)
  }

  private func isTrue(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= MatrixMount.size else { return false }
    if fault.truth == .compared, cleared == nil { return true }
    let first = Pattern.bytes(0..<bytes.count, seed: seed)
    guard fault.truth != .first, bytes != first else { return bytes == first }
    let other = Pattern.bytes(0..<bytes.count, seed: seed + 1)
    if fault.truth == .one { return bytes == other }
    return zip(bytes, zip(first, other)).allSatisfy { $0 == $1.0 || $0 == $1.1 }
  }

  private var seed: UInt64 { MatrixMount.seed(of: film) }
}

/// The outcome of a trial.
struct MatrixResult {
  /// Whether the reader got everything, without an error.
  var isRight = false
  /// The time of the read with the fault in its way.
  var milliseconds = 0
  var requests = 0
  /// The number of answers with the fault.
  var meetings = 0
  /// The time that another reader took meanwhile.
  var others = Duration.zero
  /// The time that readers took after the end of the fault, until all was right.
  var recovery: Duration?
  private(set) var complaints: [String] = []

  mutating func complain(_ text: String) {
    complaints.append(text)
  }
}
