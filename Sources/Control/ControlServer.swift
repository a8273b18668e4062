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
