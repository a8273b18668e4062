internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Answers those who ask a mount over its Unix socket.
///
/// One thread of its own; safe from any other. A request has no body that counts, and headers of 8 KiB at
/// most; a connection that is silent for long is closed.
package final class ControlServer: Sendable {
  /// Never shut down: an answer that is ready after `stop` still has a thread to find that out on.
  private static let group = {
    NIOSingletons.groupLoopCountSuggestion = 1
    return MultiThreadedEventLoopGroup.singleton
  }()

  private let channel: any Channel

  /// Listens at `path`, where nobody else does.
  ///
  /// - Parameters:
  ///   - path: in a directory that only its owner may enter. Of others who get there all the same only
  ///     root is answered.
  ///   - answer: called for each request.
  /// - Throws: where the socket cannot be made.
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

  /// Listens no longer, and has taken its socket away when this returns.
  package func end() async {
    try? await channel.close().get()
  }

  /// Listens no longer, and takes its socket away; may be called again. Requests that are being answered may not be.
  package func stop() {
    channel.close(promise: nil)
  }
}

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
