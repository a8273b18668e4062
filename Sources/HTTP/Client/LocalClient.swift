import CCurl
import Glibc

/// Asks a server on this machine over a Unix socket.
///
/// The client checks no address, because a Unix socket has none. Every user who is allowed to open
/// the socket can ask.
package struct LocalClient: Sendable {
  package struct Answer: Hashable, Sendable {
    package let status: Int
    package let body: [UInt8]
  }

  package enum Failure: Error {
    /// The socket is missing, this user must not use it, or no process listens on it any more.
    case nobodyListens
    /// No complete answer came within the limit.
    case noAnswer
  }

  private let socket: String

  /// - Parameter socket: the path of the socket.
  package init(socket: String) {
    self.socket = socket
  }

  /// Sends a request and returns the answer. Blocks for `limit` at most.
  ///
  /// - Parameters:
  ///   - method: GET or POST. Both are sent without a body.
  ///   - target: path and query.
  package func ask(
    _ method: String, _ target: String, within limit: Duration
  ) throws(Failure) -> Answer {
    let body = Body()
    let handle: EasyHandle
    do { handle = try prepared(method, target, within: limit, into: body) } catch {
      throw .noAnswer
    }
    let code = withExtendedLifetime(body) { ccurl_easy_perform(handle.pointer) }
    guard code == CURLE_OK else {
      throw code == CURLE_COULDNT_CONNECT ? .nobodyListens : .noAnswer
    }
    var status = 0
    _ = ccurl_get_long(handle.pointer, CURLINFO_RESPONSE_CODE, &status)
    return Answer(status: status, body: body.bytes)
  }

  /// Returns the ids of the process that listens on the socket and of its user; nil if no process
  /// listens. The kernel knows both (unix(7), SO_PEERCRED), so the process need not answer. Blocks
  /// for a second at most.
  package func listener() -> (process: Int32, user: UInt32)? {
    guard let handle = try? prepared("GET", "/", within: .seconds(1), into: Body()),
      (try? handle.set(CURLOPT_CONNECT_ONLY, 1)) != nil,
      ccurl_easy_perform(handle.pointer) == CURLE_OK
    else { return nil }
    var socket: curl_socket_t = -1
    guard ccurl_get_socket(handle.pointer, &socket) == CURLE_OK else { return nil }
    // struct ucred: process, user, group.
    var peer: [UInt32] = [0, 0, 0]
    var size = socklen_t(12)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return nil }
    return (Int32(bitPattern: peer[0]), peer[1])
  }

  private func prepared(
    _ method: String, _ target: String, within limit: Duration, into body: Body
  ) throws(HTTPError) -> EasyHandle {
    let handle = try EasyHandle()
    try handle.set(CURLOPT_URL, "http://localhost\(target)")
    try handle.set(CURLOPT_UNIX_SOCKET_PATH, socket)
    try handle.set(CURLOPT_PROXY, "")
    try handle.set(CURLOPT_NOSIGNAL, 1)
    try handle.set(CURLOPT_CUSTOMREQUEST, method)
    try handle.set(CURLOPT_TIMEOUT_MS, limit.milliseconds)
    try handle.set(CURLOPT_WRITEDATA, Unmanaged.passUnretained(body).toOpaque())
    try handle.set(CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
      guard let context else { return 0 }
      let body = Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
      body.bytes += UnsafeRawBufferPointer(start: bytes, count: count)
      return count
    }
    return handle
  }

  /// The bytes of the answer so far. Only the thread that asks uses them.
  private final class Body {
    var bytes: [UInt8] = []
  }
}
