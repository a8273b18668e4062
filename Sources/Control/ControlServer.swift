internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Answers requests to a mount over its Unix socket.
///
/// Has one thread of its own. Other threads can call its methods. The body of a request is ignored.
/// swift-nio limits the request's header to 256 fields, 80 KiB each and 2 MiB in all. A connection
/// that waits for no answer is closed after 30 s of silence.
package final class ControlServer: Sendable {
  /// The event loop. It is never shut down, because an answer that is ready after `stop` still
  /// needs a thread that finds the connection closed.
  private static let group = {
    NIOSingletons.groupLoopCountSuggestion = 1
    return MultiThreadedEventLoopGroup.singleton
  }()

  private let channel: any Channel

  /// Listens at `path`. No other process must listen there.
  ///
  /// - Parameters:
  ///   - path: a path in a directory that only its owner is allowed to enter. If other users can
  ///     enter the directory nevertheless, the server still answers only the owner and root.
  ///   - answer: returns the answer to each request.
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

  /// Stops listening, and blocks until the socket is removed. A second call does nothing. Requests
  /// in progress can stay without an answer. `answer` must not call this method.
  package func stop() {
    try? channel.close().wait()
  }
}

/// The process at the other end of a Unix socket, as the kernel knows it (unix(7), SO_PEERCRED).
///
/// The memory layout of this struct is that of `struct ucred`.
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

  /// Returns whether the peer is allowed to ask a mount of `owner`: only that user and root are.
  /// The socket's directory admits no other user. This check protects the mount if the directory's
  /// mode was changed, or if another process passed a descriptor on.
  func mayAsk(_ owner: UInt32) -> Bool {
    user == owner || user == 0
  }
}
