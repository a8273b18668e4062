import Dispatch
package import FeedMount
import Glibc
package import Host
import Logging
import Storage

/// Serves a mount in this process until the mount is taken down, or until a signal ends it.
package enum Service {
  /// Serves the mount. Returns when the mount is gone. Calls `whenReady` once the mount answers.
  package static func run(
    _ options: MountOptions, whenReady: () -> Void
  ) async throws(MountError) {
    DescriptorLimit.raise()
    HeapMemory.hoardNothing()
    let signals = try TerminationSignals()
    let log = logger(options.settings.logLevel)
    let mount = try await Mount.start(options, log: log)
    signals.whenOneComes {
      mount.terminate()
      _exit(0)
    }
    whenReady()
    HeapMemory.giveBack()
    await withCheckedContinuation { continuation in
      // The loop blocks, so it gets a thread of its own.
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
