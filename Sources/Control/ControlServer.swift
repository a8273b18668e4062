internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Answers requests to a mount over its Unix socket.
///
/// Has one thread of its own, and is safe from any other. The body of a request is ignored.
/// swift-nio limits its header to 256 fields, 80 KiB each and 2 MiB in all. A connection without a
/// pending answer is closed when it is silent for 30 s.
package final class ControlServer: Sendable {
  /// The event loop. It is never shut down. An answer that is ready after `stop` still needs a
  /// thread that finds the connection closed.
  private static let group = {
    NIOSingletons.groupLoopCountSuggestion = 1
    return MultiThreadedEventLoopGroup.singleton
  }()

  private let channel: any Channel

  /// Listens at `path`. No other process may listen there.
  ///
  /// - Parameters:
  ///   - path: a path in a directory that only its owner may enter. If other users can enter it all
  ///     the same, only the owner and root are answered.
  ///   - answer: called for each request.
  /// - Throws: if the socket cannot be made.
  package init(
    at path: String, answer: @escaping @Sendable (ControlRequest) async -> ControlAnswer
  ) async throws {
    channel = try await ServerBootstrap(group: Self.group)
      .serverChannelOption(.backlog, value: 16)
      .childChannelInitializer { channel in
        Peer.of(channel).flatMapThrowing { peer in
          guard peer.mayAsk(geteuid()) else { throw ChannelError.operationUnsupported }
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(
            IdleStateHandler(readTimeout: .seconds(30), writeTimeout: .seconds(30)))
          try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
          try pipeline.addHandler(ControlHandler(answer))
        }
      }
      .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
  }

  /// Stops listening. The socket is gone when this returns.
  package func end() async {
    try? await channel.close().get()
  }

  /// Stops listening, and blocks until the socket is removed; may be called again. Requests in
  /// progress may get no answer. Must not be called by an answer.
  package func stop() {
    try? channel.close().wait()
  }
}

/// The process at the other end of a Unix socket, as the kernel knows it (unix(7), SO_PEERCRED).
///
/// Its layout is that of `struct ucred`.
struct Peer: Hashable, Sendable {
  let process: Int32
  let user: UInt32
  let group: UInt32

  /// Returns the peer of a connection. Must be called on the connection's event loop.
  static func of(_ channel: any Channel) -> EventLoopFuture<Peer> {
    guard let socket = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    return socket.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
  }

  /// Returns whether the peer may ask a mount of `owner`: that user or root may. The directory
  /// admits no other user. This check protects the mount if its mode was changed, or if a
  /// descriptor was handed on.
  func mayAsk(_ owner: UInt32) -> Bool {
    user == owner || user == 0
  }
}
