import FeedReading
import Fuse
import Glibc
package import Host
import SystemPackage
package import Logging
import World

/// A mount of one feed or of several, from `start` to the end of `run`.
///
/// Safe from any thread; `run` is called once.
package final class Mount: Sendable {
  private let options: MountOptions
  private let parts: MountContext
  private let session: FuseSession
  private let log: Logger
  private let door: ControlDoor
  /// The minor number of the mounted device; nil if unknown.
  private let device: Int?

  private init(
    _ options: MountOptions, _ parts: MountContext, _ session: FuseSession, device: Int?,
    door: ControlDoor, _ log: Logger
  ) {
    self.device = device
    self.door = door
    self.options = options
    self.parts = parts
    self.session = session
    self.log = log
  }

  /// Makes the mount. When this returns, the kernel sends requests, and `run` answers them.
  ///
  /// Starts from the snapshots of the feeds, without any request. Only a feed that was never read
  /// is fetched first.
  ///
  /// - Parameter followed: the user's subscriptions, if the mount is to have them and to follow
  ///   each change of them. Nil if it has only the feeds of `options`.
  package static func start(
    _ options: MountOptions, following followed: FollowedFeeds? = nil, log: Logger
  ) async throws(CommandError) -> Mount {
    let computer = ComputerFacts.own
    try computer.check()
    if options.allowsOther { try computer.checkOthers() }
    let point = MountPoint(options.mountPoint)
    try point.prepare(allowsNonempty: options.allowsNonempty)
    try checkForGhost(of: options.mountPoint)
    let parts = try await MountContext.make(options, following: followed, log: log)
    // The code that has read the feed and loaded libraries is not needed any more, so its pages are
    // released.
    ProgramPages.release()
    let session: FuseSession
    let device: Int?
    do throws(CommandError) {
      (session, device) = try point.mounting { () throws(CommandError) in
        try makeSession(of: parts, at: point, log)
      }
    } catch {
      parts.end()
      throw error
    }
    parts.begin(session.notices, device: device)
    let door = ControlDoor(of: options.mountPoint, tasks: parts.world.tasks, log: log) {
      await parts.answer($0)
    }
    parts.begin(door)
    return Mount(options, parts, session, device: device, door: door, log)
  }

  /// Makes the control socket. Runs at the same time as `run`, so that a reader of the mount need
  /// not wait for the socket.
  package func letCommandsIn() async {
    await door.open()
    let feeds = parts.places.map(\.feed.key.shown).joined(separator: " ")
    log.info("mounted", metadata: ["at": "\(options.mountPoint)", "feed": "\(feeds)"])
  }

  /// Answers the kernel until the mount is taken down; blocks. Then flushes all bytes to the disk.
  package func run() {
    session.run()
    door.close()
    parts.end()
    log.info("unmounted", metadata: ["at": "\(options.mountPoint)"])
  }

  /// Ends a mount that can be in use. Waiting reads end with an error, the mount leaves the tree,
  /// and all fetched bytes are flushed to the disk. The process should then exit, because `run`
  /// possibly never returns.
  package func terminate() {
    door.close()
    parts.stopReaders()
    // Another process might have mounted here by now. Its mount must not be detached.
    if device == nil || MountPoint(options.mountPoint).entry?.device == device {
      session.detach()
    } else {
      session.leave()
    }
    parts.end()
    log.info("ended", metadata: ["at": "\(options.mountPoint)"])
  }

  // MARK: Private

  /// Logs an overdue request. If the request can never be answered, aborts the mount, because a
  /// reader that hangs for ever is worse.
  private static func tell(of request: OverdueRequest, at point: MountPoint, _ log: Logger) {
    log.error(
      request.hasNoEnd
        ? "a request of a program can never be answered, so feedfs ends the mount; mount again"
        : "a request of a program is overdue: the mount has not answered it",
      metadata: [
        "by": "\(request.program) (\(request.thread))", "waits for": "\(request.cause)",
        "since": "\(request.age)", "story": "\(request.story)",
      ])
    if request.hasNoEnd { point.abort() }
  }

  private static func makeSession(
    of parts: MountContext, at point: MountPoint, _ log: Logger
  ) throws(CommandError) -> FuseSession {
    do {
      return try FuseSession(
        parts.fileSystem, at: point.path, options: parts.mountOptions,
        passthrough: parts.options.settings.passesThrough, timeout: parts.answerTimeout,
        overdue: { tell(of: $0, at: point, log) })
    } catch {
      // The error names only the options that the user gave, because the user does not know the
      // others.
      guard case .options = error else { throw CommandError(error) }
      throw CommandError(.options(parts.options.mountOptions.joined(separator: ",")))
    }
  }

  /// Throws if a process still serves an earlier mount at `path`. The new mount would take over the
  /// socket of that process, and then no command could find the process.
  private static func checkForGhost(of path: FilePath) throws(CommandError) {
    // A daemon whose mount was just taken down can need a moment to end.
    guard let ghost = Unmounting.ghost(of: path), !ghost.hasEnded(within: 2_000),
      Unmounting.ghost(of: path) != nil
    else { return }
    throw CommandError(
      .tryLater,
      "process \(ghost.number) still serves an earlier mount of \(path), in another namespace or at another path;"
        + " `feedfs unmount --force \(path)` ends it")
  }
}
