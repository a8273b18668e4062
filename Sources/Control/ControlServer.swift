internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Answers those who ask a mount over its Unix socket.
///
/// One thread of its own; safe from any other. A request has no body that counts, and headers of 8 KiB at
/// most; a connection that is silent for long is closed.
package final class ControlServer: Sendable {
  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel

  /// Listens at `path`, where nobody else does.
  ///
  /// - Parameters:
  ///   - path: in a directory that only its owner may enter: that is all the protection there is.
  ///   - answer: called for each request.
  /// - Throws: where the socket cannot be made.
  package init(
    at path: String, answer: @escaping @Sendable (ControlRequest) async -> ControlAnswer
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      channel = try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 16)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(30)))
            try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
            try pipeline.addHandler(ControlHandler(answer))
          }
        }
        .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
    self.group = group
  }

  /// Takes the socket away. Requests that are being answered may not be.
  package func stop() {
    channel.close(promise: nil)
    group.shutdownGracefully { _ in }
  }
}
