import FoundationEssentials
import Synchronization
import TestSupport

/// A TLS proxy before the test origin, with HTTP/1.1 or HTTP/2, and with faults:
/// `Tests/Gate/gate.py`.
final class Gate: Sendable {
  /// The record of what passed the gate.
  struct Log: Decodable {
    let requests: [String]
    /// Faults that happened, such as "alert middle".
    let met: [String]
    /// One text per connection, such as "TLSv1.3 h2".
    let protocols: [String]
    /// The number of handshakes that failed.
    let failed: Int
    let peakStreams: Int
  }

  /// A way in which the gate misbehaves; gate.py describes each.
  enum Fault: String, CaseIterable, Sendable {
    case alert, close, garbage, cut, stall, short, more, less, reset, refused, goaway, leaving
  }

  enum Phase: String, CaseIterable, Sendable {
    case head, middle, end
  }

  /// The certificate of the gate; certificates.sh makes them.
  enum Identity: String, CaseIterable, Sendable {
    case good, renewed, expired, wronghost, untrusted, selfsigned
  }

  enum Version: String, Sendable {
    case tls1 = "1.0"
    case tls11 = "1.1"
    case tls12 = "1.2"
    case newest
  }

  /// The reason why no gate can run; nil if one can. Debian's python3-h2 is only for the system's
  /// Python.
  static let obstacle: String? = {
    guard isInstalled("openssl") else { return "openssl is not installed" }
    let look = try? ChildProcess.run(["/usr/bin/python3", "-c", "import h2, hyperframe"])
    return look?.status == 0 ? nil : "python3-h2 is not installed"
  }()

  private static let scripts: String = {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return "/\(folder)/Gate/"
  }()

  let port: Int
  /// The path of the certificate authority that TLS should trust.
  let authority: String
  /// The pin of the good certificate.
  let pin: String
  private let certificates: String
  private let child: ChildProcess
  private let orders = Mutex(0)

  /// The folder with the certificates of all gates of this process.
  private static let certificates = Result {
    let folder = try SharedFolder.path.get()
    let made = try ChildProcess.run(
      [Gate.scripts + "certificates.sh", folder], timeout: .seconds(60))
    guard made.status == 0 else { throw TestToolError("no certificates: \(made.err)") }
    return folder
  }

  init(before origin: OriginProcess) throws {
    certificates = try Self.certificates.get()
    authority = certificates + "/ca.pem"
    pin = contents(of: certificates + "/good.pin").filter { !$0.isWhitespace }
    child = try ChildProcess(
      [
        "/usr/bin/python3", Self.scripts + "gate.py", "\(origin.port)", certificates + "/good.pem",
      ], keepsInputOpen: true)
    let isReady = child.output.wait(timeout: .seconds(40)) { $0.contains("\n") }
    let words = child.output.text.split(whereSeparator: \.isWhitespace)
    guard isReady, words.count == 2, let port = Int(words[1]) else {
      throw TestToolError("the gate did not open: \(child.errors.text)")
    }
    self.port = port
  }

  deinit {
    child.killGroup()
    _ = child.wait(timeout: .seconds(10))
  }

  func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

  /// Sets what new connections meet, and ends all others.
  func serve(
    _ identity: Identity, version: Version = .newest, protocols: [String] = ["h2", "http/1.1"]
  ) throws {
    let list = protocols.map { "\"\($0)\"" }.joined(separator: ", ")
    _ = try order(
      """
      {"serve": "\(certificates)/\(identity.rawValue).pem", "tls": "\(version.rawValue)", \
      "protocols": [\(list)]}
      """)
  }

  /// - Parameter times: how often the fault happens; -1: until it is cleared.
  func fault(_ fault: Fault, _ phase: Phase, below path: String, times: Int) throws {
    _ = try order(
      """
      {"fault": "\(fault.rawValue)", "phase": "\(phase.rawValue)", "path": "\(path)", \
      "times": \(times)}
      """)
  }

  func clear() throws { _ = try order("{\"clear\": true}") }

  func log() throws -> Log {
    try JSONDecoder().decode(Log.self, from: Data(order("{\"log\": true}").utf8))
  }

  /// Sends a line, and returns the line that answers it.
  private func order(_ line: String) throws -> String {
    try orders.withLock { count in
      count += 1
      try child.write(line + "\n")
      guard let answer = child.output.line(after: "\(count) ", timeout: .seconds(60)) else {
        throw TestToolError("the gate does not answer: \(child.errors.text)")
      }
      return answer
    }
  }
}
