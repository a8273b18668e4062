import Dispatch
package import FeedMount
import Glibc
package import Host
import Logging
import Storage

/// Serves a mount in this process until the mount is taken down, or until a signal ends it.
package enum Service {
  /// Returns the feeds to which the user subscribes now.
  package typealias Subscribed = @Sendable (SubscriptionSource) throws(MountError) -> [FeedChoice]

  /// The time from the mount to the end of its start. A program that waits for the mount asks for its
  /// first bytes within that time, and freed memory is not searched for meanwhile. Later the memory
  /// of the start would come on top of the memory for new bytes.
  private static let settling = 20  // milliseconds

  /// Serves the mount. Returns when the mount is gone. Calls `whenReady` once the mount answers, and
  /// commands can ask it.
  ///
  /// - Parameter subscriptions: reads the subscriptions again, for a mount that follows them.
  package static func run(
    _ options: MountOptions, subscriptions: Subscribed? = nil, whenReady: () -> Void
  ) async throws(MountError) {
    DescriptorLimit.raise()
    HeapMemory.hoardNothing()
    // Each part of the start runs code that the later parts do not need. Given back in between, it
    // does not add up to the largest part of the process's memory.
    ProgramPages.release()
    let signals = try TerminationSignals()
    let log = logger(options.settings.logLevel)
    let followed = options.subscriptions.flatMap { source in
      subscriptions.map { read in
        FollowedFeeds(source.file) { () throws(MountError) in try read(source) }
      }
    }
    let mount = try await Mount.start(options, following: followed, log: log)
    signals.whenOneComes {
      mount.terminate()
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
  }

  /// Answers the kernel, on a thread of its own because that blocks. Returns when the mount is gone.
  private static func serve(_ mount: Mount) async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "feedfs.kernel").async {
        mount.run()
        continuation.resume()
      }
    }
  }

  private static func logger(_ level: LogLevel) -> Logger {
    var log = Logger(label: "feedfs") { PrintableLog(label: $0) }
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
