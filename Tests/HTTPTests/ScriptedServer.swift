import Glibc
import Locks
import TestSupport

/// Plays bytes on loopback: the first connection gets the first script, and so on. A connection
/// after the last script is closed at once.
final class ScriptedServer: Sendable {
  enum Step: Sendable {
    /// Reads one request, up to its empty line.
    case request
    case send(String)
    case sendBytes([UInt8])
    /// Keeps the connection open until the client leaves or the test ends.
    case hold
    /// Waits until `open` is called.
    case gate
  }

  private struct State {
    var scripts: ArraySlice<[Step]>
    var requests: [String] = []
    var connections = 0
    var open: Set<Int32> = []
    var isStopped = false
  }

  let port: Int
  private let listener: Int32
  private let state: Locked<State>
  private let isOpen = Occurrence()

  /// Runs `body` with a server, and stops the server in any case.
  static func run<Result>(
    _ scripts: [[Step]], isolation: isolated (any Actor)? = #isolation,
    _ body: (ScriptedServer) async throws -> Result
  ) async throws -> Result {
    let server = try ScriptedServer(scripts)
    defer { server.stop() }
    return try await body(server)
  }

  /// Returns a port without a listener.
  static func deadPort() throws -> Int {
    let server = try ScriptedServer([])
    server.stop()
    return server.port
  }

  var url: String { "http://127.0.0.1:\(port)" }
  /// The heads of the requests, in order of arrival.
  var requests: [String] { state.withLock(\.requests) }
  var connections: Int { state.withLock(\.connections) }

  private init(_ scripts: [[Step]]) throws {
    struct Failure: Error {}
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw Failure() }
    port = Int(UInt16(bigEndian: address.sin_port))
    state = Locked(State(scripts: scripts[...]))
    onThread { [self] in acceptAll() }
  }

  private func stop() {
    open()
    state.withLock { state in
      state.isStopped = true
      for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Opens the gates: releases all connections that wait at one, now and later.
  func open() {
    isOpen.happen()
  }

  /// Ends every held connection with a RST.
  func reset() {
    state.withLock { state in
      for descriptor in state.open {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
          descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        shutdown(descriptor, Int32(SHUT_RD))
      }
    }
  }

  private func acceptAll() {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      let script = state.withLock { state -> [Step]? in
        guard !state.isStopped else { return nil }
        state.open.insert(descriptor)
        state.connections += 1
        return state.scripts.popFirst() ?? []
      }
      guard let script else {
        close(descriptor)
        break
      }
      onThread { [self] in play(script, on: descriptor) }
    }
    close(listener)
  }

  private func play(_ script: [Step], on descriptor: Int32) {
    for step in script {
      switch step {
      case .request:
        guard let request = readRequest(descriptor) else { break }
        state.withLock { $0.requests.append(request) }
      case .send(let text): write(Array(text.utf8), descriptor)
      case .sendBytes(let bytes): write(bytes, descriptor)
      case .hold:
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) > 0 {}
      case .gate:
        isOpen.wait()
      }
    }
    state.withLock { _ = $0.open.remove(descriptor) }
    close(descriptor)
  }

  private func readRequest(_ descriptor: Int32) -> String? {
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
      var byte: UInt8 = 0
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(_ bytes: [UInt8], _ descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }
}

/// Runs `body`, which blocks, on a thread of its own: Swift's pool must not block.
private func onThread(_ body: @escaping @Sendable () -> Void) {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let context = Unmanaged.passRetained(Box(body)).toOpaque()
  pthread_create(
    &thread, nil,
    { context in
      if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
      return nil
    }, context)
  pthread_detach(thread)
}
