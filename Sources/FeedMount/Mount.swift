import Feeds
import Fuse
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

  private init(_ options: MountOptions, _ parts: MountParts, _ session: FuseSession, _ log: Logger)
  {
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
    do throws(FuseError) {
      let session = try FuseSession(
        parts.fileSystem, at: options.mountPoint, options: parts.mountOptions)
      parts.begin(session)
      let feeds = parts.places.map(\.feed.key.shown).joined(separator: " ")
      log.info("mounted", metadata: ["at": "\(options.mountPoint)", "feed": "\(feeds)"])
      return Mount(options, parts, session, log)
    } catch {
      parts.end()
      throw MountError(error)
    }
  }

  /// Answers the kernel until the mount is taken down, then flushes; blocks.
  package func run() {
    session.run()
    parts.end()
    log.info("unmounted", metadata: ["at": "\(options.mountPoint)"])
  }

  /// Ends a mount that may be in use: every read that waits is answered with an error, the tree is rid
  /// of it, and what was fetched is on disk. Then `run` may never return: the process should end.
  package func terminate() {
    parts.stopReaders()
    session.detach()
    parts.end()
    log.info("ended", metadata: ["at": "\(options.mountPoint)"])
  }
}
