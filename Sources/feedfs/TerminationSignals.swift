import Dispatch
import FeedMount
import Glibc
import SystemPackage

/// The signals that ask a daemon to end: they are taken from here on, and answered once somebody says
/// how.
struct TerminationSignals: Sendable {
  private let pipe: SignalPipe

  init() throws(MountError) {
    pipe = try SignalPipe([SIGTERM, SIGINT, SIGHUP])
  }

  /// Calls `body` on a thread of its own when a signal has come, at once if one has.
  func whenOneComes(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "feedfs.signals").async { [pipe] in
      while (try? [UInt8](unsafeUninitializedCapacity: 1) { buffer, count in
        count = try pipe.readEnd.read(into: .init(buffer))
      }) == nil {}
      body()
    }
  }
}
