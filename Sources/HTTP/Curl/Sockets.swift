import Addresses
import Glibc

/// Keeps track of libcurl's sockets, and shuts those that must not be used again. libcurl 7.88
/// cannot drop a single connection. But it notices that a shut connection is dead, and makes
/// another.
///
/// Belongs to the client's thread. libcurl has an unretained pointer to this object, so
/// `MultiHandle` keeps it alive.
final class Sockets {
  private(set) var connections = Connections()
  private var ends: [Connections.Socket: Ends] = [:]
  /// The numbers of the open sockets. The kernel uses a descriptor again, but a number here is
  /// never used again.
  private var numbers: [Connections.Socket: Int] = [:]
  private var opened = 0

  /// Both ends of a connection.
  struct Ends: Hashable {
    let local: IPAddress
    let localPort: Int
    let remote: IPAddress
    let remotePort: Int
  }

  /// Applies an event, and shuts the sockets that the event returns.
  func change(_ event: (inout Connections) -> [Connections.Socket]) {
    for socket in event(&connections) { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  func heard(_ id: TransferID, isShared: Bool?, at now: ContinuousClock.Instant) {
    connections.heard(id, isShared: isShared, at: now)
  }

  /// Notes that `socket` was opened, and returns its number.
  func opened(_ socket: Connections.Socket, for origin: OriginName) -> Int {
    connections.opened(socket, for: origin, at: .now)
    ends[socket] = nil
    opened += 1
    numbers[socket] = opened
    return opened
  }

  /// Whether the socket with this number is connected; nil if it is closed.
  func isConnected(_ socket: Connections.Socket, _ number: Int) -> Bool? {
    guard numbers[socket] == number else { return nil }
    return Self.address(of: socket, getpeername) != nil
  }

  func closed(_ socket: Connections.Socket) {
    connections.closed(socket)
    ends[socket] = nil
    numbers[socket] = nil
    close(socket)
  }

  /// Assigns the connection between `ends` to the request of `id`, which libcurl is about to send
  /// over it.
  func uses(_ ends: Ends, by id: TransferID, of origin: OriginName) -> Connections.Use {
    guard let socket = connections.sockets.first(where: { self.ends(of: $0) == ends }) else {
      return .new
    }
    return connections.uses(socket, by: id, of: origin)
  }

  /// Shuts the idle connections that `origin` has ended, and those over which it sent bytes without
  /// a request. libcurl would take such bytes for the next answer (RFC 9112 §9.5, §11.2).
  func shutDisturbed(of origin: OriginName) {
    let idle = connections.idle(of: origin)
    guard !idle.isEmpty else { return }
    var polled = idle.map { pollfd(fd: $0.socket, events: Int16(POLLIN) | Self.hangUp, revents: 0) }
    guard poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
    for (connection, found) in zip(idle, polled) where found.revents != 0 {
      if connection.isShared, found.revents == Int16(POLLIN) { continue }
      shutdown(connection.socket, Int32(SHUT_RDWR))
    }
  }

  private func ends(of socket: Connections.Socket) -> Ends? {
    if let known = ends[socket] { return known }
    guard let local = Self.address(of: socket, getsockname),
      let remote = Self.address(of: socket, getpeername)
    else { return nil }
    let found = Ends(
      local: local.0, localPort: local.1, remote: remote.0, remotePort: remote.1)
    ends[socket] = found
    return found
  }

  private typealias Ask = (
    Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?
  ) -> Int32

  private static func address(of socket: Connections.Socket, _ ask: Ask) -> (IPAddress, Int)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard ask(socket, address, &length) == 0,
          let ip = IPAddress(address, byteCount: Int(length))
        else { return nil }
        // Both families have the port in the same place (ip(7), ipv6(7)).
        let port = UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 2, as: UInt16.self)
        return (ip, Int(UInt16(bigEndian: port)))
      }
    }
  }

  private static let hangUp = Int16(0x2000)  // POLLRDHUP, poll(2)
}
