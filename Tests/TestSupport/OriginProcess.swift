import Glibc
import Locks

/// The test origin as a child process, or in this one; it ends with its owner.
///
/// For any thread. Control requests go one at a time over one connection that stays open, so they
/// work while the origin refuses new ones.
package final class OriginProcess: Sendable {
  private enum Server: Sendable {
    case child(ChildProcess)
    case here(end: @Sendable () -> Void)
  }

  package let port: Int
  private let server: Server
  private let control: Locked<RawConnection>

  /// - Parameters:
  ///   - root: the directory behind `/files/` and `/feed.xml`.
  ///   - port: the port to listen on; 0: any free one.
  ///   - options: further command line options, such as `--latency-ms`.
  package init(root: String? = nil, port: Int = 0, options: [String] = []) throws {
    let program = try BuiltBinary.path("testorigin")
    let arguments =
      [program, "--port", String(port)] + (root.map { ["--root", $0] } ?? []) + options
    let child = try ChildProcess(arguments, keepsInputOpen: true)
    server = .child(child)
    let isReady = child.output.wait(timeout: .seconds(20)) { $0.contains("\n") }
    let words = child.output.text.split(whereSeparator: \.isWhitespace)
    guard isReady, words.count == 2, words[0] == "READY", let port = Int(words[1]) else {
      throw TestToolError("the test origin did not start: \(child.errors.text)")
    }
    self.port = port
    control = Locked(try RawConnection(port: port, timeout: .seconds(60)))
  }

  /// Controls an origin that this process runs at `port`; `end` ends it.
  package init(here port: Int, end: @escaping @Sendable () -> Void) throws {
    self.port = port
    server = .here(end: end)
    control = Locked(try RawConnection(port: port, timeout: .seconds(60)))
  }

  /// Returns the URL of a path, which must be percent-encoded.
  package func url(_ path: String) -> String {
    "http://127.0.0.1:\(port)\(path)"
  }

  /// Ends the origin; later connections are refused.
  package func stop() {
    switch server {
    case .child(let child):
      child.killGroup()
      _ = child.wait(timeout: .seconds(10))
    case .here(let end): end()
    }
  }

  /// Stops the process with SIGSTOP: its kernel still accepts connections, but nothing answers.
  package func freeze() {
    child.freeze()
  }

  package func thaw() {
    child.signal(SIGCONT)
  }

  private var child: ChildProcess {
    guard case .child(let child) = server else {
      preconditionFailure("only an origin that is a process can be stopped and go on")
    }
    return child
  }

  /// Sends a control request.
  ///
  /// - Throws: the origin's message if it refuses the request.
  @discardableResult
  package func control(
    _ method: String, _ path: String, _ query: [String: String] = [:],
    fields: [String: String] = [:], body: [UInt8] = []
  ) throws -> [UInt8] {
    let pairs = query.map { "\(percentEncoded($0))=\(percentEncoded($1))" }
    let target = path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    let response = try control.withLock { connection in
      try connection.exchange(method, target, fields, body: body)
    }
    guard response.status == 200, response.end == .whole else {
      throw TestToolError("\(method) \(target): \(response.status) \(response.text)")
    }
    return response.body
  }
}
