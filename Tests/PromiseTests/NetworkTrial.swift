import Blocks
import Control
import TestSupport
import Testing

/// A mount behind its own network, with a reader that meets one fault.
final class NetworkTrial: CustomStringConvertible {
  private static let size = 2 << 20
  /// The read timeouts in seconds, for a fault that stays and for one that passes.
  private static let timeout = (staying: 6, passing: 24)

  let fault: NetworkFault
  let moment: NetworkFault.Moment
  /// Whether the fault passes while the reader waits.
  let passes: Bool
  private let network: TestNetwork
  private let feed: MountedFeed
  private var reader: ChildProcess?
  private var began = ContinuousClock.now
  /// The time for which the fault stayed.
  private var stayed = Duration.zero

  init(_ fault: NetworkFault, _ moment: NetworkFault.Moment, passes: Bool) throws {
    self.fault = fault
    self.moment = moment
    self.passes = passes
    network = try TestNetwork()
    feed = try MountedFeed(in: network, originOptions: ["--address", "0.0.0.0"])
    try network.answerNames(known: true)
    var kept = PatternFile(name: "kept", size: 256 << 10, seed: 1)
    kept.url = "http://\(network.near):\(feed.origin.port)\(kept.path)"
    var film = PatternFile(name: "film", size: Self.size, seed: 2)
    film.url = "http://films.test:\(feed.origin.port)\(film.path)"
    try feed.serve([kept, film])
    let timeout = passes ? Self.timeout.passing : Self.timeout.staying
    try feed.mount(options: [
      "--read-timeout", "\(timeout)", "--allow-private", TestNetwork.addresses,
    ])
    _ = try feed.bytes(of: feed.path(1))
  }

  var description: String { "\(fault), \(moment), \(passes ? "passes" : "stays")" }

  /// Begins the fault, and starts the reader.
  func begin() throws {
    began = .now
    switch moment {
    case .beforeReading:
      try fault.begin(in: network)
      reader = try read()
    case .whileReading:
      try feed.origin.network(rate: 400_000)
      reader = try read()
      try feed.origin.wait(bytes: 100_000, below: "/pattern/film", timeout: .seconds(30))
      try fault.begin(in: network)
    }
  }

  /// Checks that other reads go on meanwhile; then ends the fault if it passes.
  func goOn() throws {
    let (_, time) = try measured("\(self): others") {
      _ = try ChildProcess.run(["ls", feed.mountPoint])
      _ = try feed.bytes(of: feed.path(1))
    }
    #expect(time < Figure.listing.time.here, "\(self)")
    if passes {
      if fault.isSeen {
        try #require(try eventually(within: .seconds(30)) { try isNoticed() }, "\(self)")
      }
      try fault.end(in: network)
      try feed.origin.network(rate: 0)
      stayed = .now - began
    }
  }

  /// Checks the reader's end, and a read after the fault has gone.
  func judge() throws {
    let status = try #require(reader?.wait(timeout: .seconds(120)), "\(self): it hangs")
    let bytes = reader?.output.bytes ?? []
    #expect(bytes == Pattern.bytes(0..<bytes.count, seed: 2), "\(self): wrong bytes")
    // On a busy machine a fault may stay for so long that it may bring an error.
    let isShort = stayed < .seconds(Self.timeout.passing) / 2
    if passes && (isShort || !fault.isLeaky) || fault == .twentiethLost {
      #expect(status == 0, "\(self): \(reader?.errors.text ?? "")")
    } else if !fault.isLeaky {
      #expect(status == 1, "\(self)")
    }
    #expect(status != 0 || bytes.count == Self.size, "\(self)")
    if status == 1, let reader { #expect(saidError(reader), "\(self): \(reader.errors.text)") }

    try fault.end(in: network)
    try feed.origin.network(rate: 0)
    let (isWell, time) = try measured("\(self): recovery") {
      try eventually(within: .seconds(30)) {
        let child = try read()
        return child.wait(timeout: .seconds(60)) == 0
          && child.output.bytes == Pattern.bytes(0..<Self.size, seed: 2)
      }
    }
    #expect(isWell && time < Figure.goingOn.time.here, "\(self): \(time)")
    #expect(try feed.process.isRunning, "\(self)")
  }

  /// Whether the daemon knows of the fault.
  private func isNoticed() throws -> Bool {
    try feed.status().origins.contains { $0.lastError != nil || $0.condition != .reachable }
  }

  private func read() throws -> ChildProcess {
    try ChildProcess(["timeout", "-s", "KILL", "100", "cat", feed.path(2)])
  }
}
