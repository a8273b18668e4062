import Glibc
import TestSupport
import Testing

/// One way in which the answers for a film are wrong, and what a reader may see of it.
struct FaultCase: Sendable {
  enum Outcome: Sendable {
    /// All bytes.
    case right
    /// An error behind some right bytes.
    case fails
    case either
  }

  let kind: OriginFault
  let outcome: Outcome
  /// See `OriginProcess.fault`.
  var after: Int?
  var parameters: [String: String] = [:]
  /// Answers that may be spent on one read that gets nothing.
  var mostRequests = 8

  init(
    _ kind: OriginFault, _ outcome: Outcome, after: Int? = nil, mostRequests: Int = 8,
    _ parameters: [String: String] = [:]
  ) {
    self.kind = kind
    self.outcome = outcome
    self.after = after
    self.parameters = parameters
    self.mostRequests = mostRequests
  }
}

/// A mount of which two films meet a fault, one from its first byte on and one in its middle, while
/// a third one is cached.
///
/// Readers wait as long as the trial lives, so that many trials can wait at one time.
struct FaultTrial {
  static let size = 1 << 20
  /// Behind the first fetch.
  private static let middle = 400_000
  private static let readTimeout = 5  // seconds

  let fault: FaultCase
  private let feed: MountedFeed
  private var readers: [(name: String, seed: UInt64, child: ChildProcess)] = []

  /// - Parameter times: how many answers are wrong; -1: all.
  init(_ fault: FaultCase, times: Int) throws {
    self.fault = fault
    feed = try MountedFeed()
    let names = ["kept", "head", "middle"]
    try feed.serve(
      zip(names, 1...).map { PatternFile(name: $0, size: Self.size, seed: UInt64($1)) })
    try feed.mount(options: ["--read-timeout", "\(Self.readTimeout)"])
    _ = try feed.bytes(of: feed.path(1))
    for (name, start) in [("head", 0), ("middle", Self.middle)] {
      try feed.origin.fault(
        fault.kind, below: "/pattern/\(name)", times: times, after: fault.after,
        starts: start..<Int.max, fault.parameters)
    }
    for (number, name) in [(2, "head"), (3, "middle")] {
      // Twice the timeout is too long, and far less than a reader that hangs.
      let limit = "\(Self.readTimeout * 2 + 2)"
      let child = try ChildProcess(["timeout", "-s", "KILL", limit, "cat", feed.path(number)])
      readers.append((name, UInt64(number), child))
    }
  }

  /// Waits for the readers, and looks at what they got.
  func judge() throws {
    for reader in readers {
      let what = "\(fault.kind.rawValue) \(fault.parameters) \(fault.after ?? -1): \(reader.name)"
      let status = try #require(reader.child.wait(timeout: .seconds(20)), "\(what)")
      let bytes = reader.child.output.bytes
      #expect(bytes == Pattern.bytes(0..<bytes.count, seed: reader.seed), "wrong bytes: \(what)")
      switch fault.outcome {
      case .right: #expect(status == 0, "\(what): \(reader.child.errors.text)")
      case .fails: #expect(status == 1, "\(what)")
      case .either: #expect(status == 0 || status == 1, "\(what)")
      }
      if status == 0 { #expect(bytes.count == Self.size, "\(what)") }
      if status == 1 { #expect(saidError(reader.child), "\(what): \(reader.child.errors.text)") }
      if status == 1, bytes.isEmpty {
        let count = try feed.origin.log(below: "/pattern/\(reader.name)").count
        #expect(count <= fault.mostRequests, "\(what): \(count) requests")
      }
    }
    #expect(try feed.process.isRunning, "\(fault.kind)")
    let kept = try feed.bytes(of: feed.path(1))
    #expect(kept == Pattern.bytes(0..<Self.size, seed: 1), "\(fault.kind)")
  }
}
