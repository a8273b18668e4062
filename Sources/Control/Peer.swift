internal import Glibc
internal import NIOCore

/// Who is at the other end of a Unix socket, as the kernel knows it (unix(7), SO_PEERCRED).
///
/// Laid out as `struct ucred`.
struct Peer: Hashable, Sendable {
  let process: Int32
  let user: UInt32
  let group: UInt32

  /// Of a connection; to be asked on its event loop.
  static func of(_ channel: any Channel) -> EventLoopFuture<Peer> {
    guard let socket = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    return socket.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
  }

  /// Whether it may ask a mount of `owner`: that user, and root. The directory lets nobody else in; this
  /// holds where its mode was changed, or a descriptor was handed on.
  func mayAsk(_ owner: UInt32) -> Bool {
    user == owner || user == 0
  }
}
