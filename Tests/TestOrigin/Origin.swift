import Glibc
import Locks

/// The server: its content, faults, network model and connections.
///
/// One thread accepts and one thread serves each connection. Locks guard all state; no lock is
/// taken while another is held.
final class Origin: Sendable {
  let site: Site
  let log = RequestLog()
  let faults = Locked(FaultPlan())
  let network: Locked<NetworkModel>
  private let state = Locked(State())

  private struct State {
    var listener: Int32?
    var address = ""
    var port: UInt16 = 0
    var accepted = 0
    var connections: [Int: Socket] = [:]
  }

  init(site: Site, network: NetworkModel) {
    self.site = site
    self.network = Locked(network)
  }

  /// Starts to accept connections; returns the port, or nil with the reason in `errno`.
  func listen(address: String, port: UInt16) -> UInt16? {
    guard let (listener, port) = Self.bound(address: address, port: port) else { return nil }
    state.withLock { state in
      state.listener = listener
      state.address = address
      state.port = port
    }
    startThread { self.accept(from: listener) }
    return port
  }

  /// Listens again at the earlier address; false if that fails.
  func listenAgain() -> Bool {
    let (listener, address, port) = state.withLock { ($0.listener, $0.address, $0.port) }
    return listener != nil || listen(address: address, port: port) != nil
  }

  /// Refuses new connections and ends all but the connection that asked for it.
  func stopListening(sparing spared: Int) {
    let (listener, others) = state.withLock { state in
      let listener = state.listener
      state.listener = nil
      return (listener, state.connections.values.filter { $0.number != spared })
    }
    // Ends the accept call that waits; its thread closes the descriptor.
    if let listener { shutdown(listener, Int32(SHUT_RDWR)) }
    for socket in others { socket.finish() }
  }

  /// Removes the faults below a path. Responses that wait because of one continue if `resuming`;
  /// otherwise they are reset.
  func clearFaults(below path: String, resuming: Bool) {
    faults.withLock { $0.clear(below: path, resuming: resuming) }
    for socket in state.withLock({ Array($0.connections.values) }) { socket.wake() }
  }

  private func accept(from listener: Int32) {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      if descriptor >= 0 {
        serve(descriptor)
      } else if errno == EMFILE || errno == ENFILE {
        rest(for: .milliseconds(10))
      } else if errno != EINTR && errno != ECONNABORTED {
        close(listener)
        return
      }
    }
  }

  private func serve(_ descriptor: Int32) {
    let number = state.withLock { state in
      state.accepted += 1
      return state.accepted
    }
    guard let socket = Socket(descriptor: descriptor, number: number) else { return }
    state.withLock { $0.connections[number] = socket }
    let isServed = startThread {
      var connection = Connection(socket: socket, origin: self)
      connection.run()
      self.forget(number)
    }
    if !isServed { forget(number) }
  }

  private func forget(_ number: Int) {
    state.withLock { _ = $0.connections.removeValue(forKey: number) }
  }

  private static func bound(address: String, port: UInt16) -> (Int32, UInt16)? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, "\(port)", &hints, &found) == 0, let place = found?.pointee else {
      errno = EINVAL
      return nil
    }
    defer { freeaddrinfo(found) }
    let listener = socket(place.ai_family, place.ai_socktype, 0)
    var on: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var size = place.ai_addrlen
    guard bind(listener, place.ai_addr, size) == 0, Glibc.listen(listener, 1024) == 0,
      getsockname(listener, place.ai_addr, &size) == 0
    else {
      let reason = errno
      close(listener)
      errno = reason
      return nil
    }
    // The port has the same offset in the addresses of both families (ipv6(7)).
    let name = UnsafeRawPointer(place.ai_addr).loadUnaligned(as: sockaddr_in.self)
    return (listener, UInt16(bigEndian: name.sin_port))
  }
}
