import Dispatch
package import FeedMount
import Glibc
package import Host
import Logging
import Quantities
import Storage
import SystemPackage

/// Serves a mount in this process until the mount is taken down, or until a signal ends it.
package enum Service {
  /// Returns the feeds to which the user subscribes now.
  package typealias Subscribed = @Sendable (SubscriptionSource) throws(CommandError) -> [FeedChoice]

  /// When the mount is ready, memory that was freed during the start goes back to the kernel after
  /// this time. It is not zero, because a program that has waited for the mount now asks for its
  /// first bytes, and must not be slowed down. It is short, because these bytes need memory too.
  private static let settling = 20  // milliseconds

  /// Serves the mount. Returns when the mount is gone. Calls `whenReady` once, when the mount can
  /// be read and commands can send it requests.
  ///
  /// - Parameters:
  ///   - subscriptions: reads the subscriptions again, for a mount that follows them.
  ///   - turnsLog: whether stderr is the log file of the mount. If so, the log file is rotated when
  ///     it is full.
  package static func run(
    _ options: MountOptions, subscriptions: Subscribed? = nil, turnsLog: Bool = false,
    whenReady: () -> Void
  ) async throws(CommandError) {
    DescriptorLimit.raise()
    HeapMemory.hoardNothing()
    // Each part of the start runs code that the later parts do not need. So the pages of the
    // program's code go back to the kernel after each part. Otherwise they would be most of the
    // process's memory.
    ProgramPages.release()
    let signals = try TerminationSignals()
    let makeRoom: LogLines.MakeRoom = { room in try turnLog(of: options, room: room) }
    let lines = LogLines(makeRoom: turnsLog ? makeRoom : nil)
    let log = logger(options.settings.logLevel, lines)
    let followed = options.subscriptions.flatMap { source in
      subscriptions.map { read in
        FollowedFeeds(source.file) { () throws(CommandError) in try read(source) }
      }
    }
    let mount = try await Mount.start(options, following: followed, log: log)
    signals.whenOneComes {
      mount.terminate()
      lines.end()
      _exit(0)
    }
    let end = Task { await serve(mount) }
    await mount.letCommandsIn()
    ProgramPages.release()
    whenReady()
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(settling)) {
      HeapMemory.giveBack()
    }
    await end.value
    lines.end()
  }

  /// Lets stderr write to a new log file if the old one has no room for `room` more bytes.
  private static func turnLog(of options: MountOptions, room: Int) throws {
    let size = try FileDescriptor.standardError.seek(offset: 0, from: .end)
    guard size + Int64(room) > MountOptions.maxLogBytes else { return }
    let log = try options.openLog(room: room)
    _ = try log.closeAfter { try log.duplicate(as: .standardError) }
  }

  /// Answers the kernel's requests on a thread of its own, because that blocks. Returns when the
  /// mount is gone.
  private static func serve(_ mount: Mount) async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "feedfs.kernel").async {
        mount.run()
        continuation.resume()
      }
    }
  }

  private static func logger(_ level: LogLevel, _ lines: LogLines) -> Logger {
    var log = Logger(label: "feedfs") { PrintableLog(label: $0, lines) }
    log.logLevel =
      switch level {
      case .error: .error
      case .warning: .warning
      case .info: .info
      case .debug: .debug
      }
    return log
  }
}
