import Control
import Feeds
import Fuse
import Glibc
import SystemPackage
package import Logging

/// A mounted feed, from `start` to the end of `run`.
///
/// Safe from any thread; `run` is called once.
package final class Mount: Sendable {
  package static let version = "0.1.0"

  private let options: MountOptions
  private let parts: MountParts
  private let session: FuseSession
  private let log: Logger
  private let control: ControlServer?

  private init(
    _ options: MountOptions, _ parts: MountParts, _ session: FuseSession,
    control: ControlServer?, _ log: Logger
  ) {
    self.control = control
    self.options = options
    self.parts = parts
    self.session = session
    self.log = log
  }

  /// Makes the mount: when this returns, the listing can be read.
  ///
  /// Starts from what is known of the feed, with no network at all; only a feed that was never read is
  /// asked for first.
  package static func start(
    _ options: MountOptions, log: Logger
  ) async throws(MountError) -> Mount {
    try Requirements.check()
    let point = MountPoint(options.mountPoint)
    try point.prepare(allowsNonempty: options.allowsNonempty)
    let parts = try await MountParts.make(options, log: log)
    let session: FuseSession
    do {
      session = try FuseSession(
        parts.fileSystem, at: options.mountPoint, options: parts.mountOptions,
        passthrough: options.passesThrough, patience: parts.patience,
        overdue: { Self.tell(of: $0, at: point, log) })
    } catch {
      parts.end()
      throw MountError(error)
    }
    parts.begin(session)
    let control = await startControl(of: parts, log)
    let feeds = parts.places.map(\.feed.key.shown).joined(separator: " ")
    log.info("mounted", metadata: ["at": "\(options.mountPoint)", "feed": "\(feeds)"])
    return Mount(options, parts, session, control: control, log)
  }

  /// Answers the kernel until the mount is taken down, then flushes; blocks.
  package func run() {
    session.run()
    stopControl()
    parts.end()
    log.info("unmounted", metadata: ["at": "\(options.mountPoint)"])
  }

  /// Ends a mount that may be in use: every read that waits is answered with an error, the tree is rid
  /// of it, and what was fetched is on disk. Then `run` may never return: the process should end.
  package func terminate() {
    stopControl()
    parts.stopReaders()
    session.detach()
    parts.end()
    log.info("ended", metadata: ["at": "\(options.mountPoint)"])
  }

  // MARK: Private

  /// A reader that cannot be ended is worse than a mount that has ended.
  private static func tell(of request: OverdueRequest, at point: MountPoint, _ log: Logger) {
    log.error(
      request.hasNoEnd
        ? "a request cannot be answered; giving up the mount" : "a request is overdue",
      metadata: [
        "by": "\(request.program) (\(request.thread))", "waits for": "\(request.cause)",
        "since": "\(request.age)", "story": "\(request.story)",
      ])
    if request.hasNoEnd { point.abort() }
  }

  /// A mount that commands cannot ask is one all the same.
  private static func startControl(of parts: MountParts, _ log: Logger) async -> ControlServer? {
    let path = ControlSocket.path(of: parts.options.mountPoint)
    do {
      try ControlSocket.makeFolder()
      return try await ControlServer(at: path.string) { await parts.answer($0) }
    } catch {
      log.warning(
        "commands cannot ask this mount", metadata: ["socket": "\(path)", "why": "\(error)"])
      return nil
    }
  }

  private func stopControl() {
    guard let control else { return }
    control.stop()
    unlink(ControlSocket.path(of: options.mountPoint).string)
  }
}
