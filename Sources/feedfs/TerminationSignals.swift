import Dispatch
import FeedMount
import Glibc
import Synchronization
import SystemPackage

/// The signals that ask a daemon to end: they are taken from here on, and answered once somebody says
/// how.
struct TerminationSignals: Sendable {
  /// Where the handler writes; a handler may do no more.
  private static let pipe = Atomic<Int32>(-1)

  private let readEnd: FileDescriptor

  init() throws(MountError) {
    do {
      let pipe = try Pipe()
      Self.pipe.store(pipe.writeEnd.rawValue, ordering: .relaxed)
      readEnd = pipe.readEnd
    } catch {
      throw MountError(.unavailable, "no pipe can be made: \(error)")
    }
    for number in [SIGTERM, SIGINT, SIGHUP] {
      signal(number) { _ in
        _ = write(TerminationSignals.pipe.load(ordering: .relaxed), "!", 1)
      }
    }
    signal(SIGPIPE, SIG_IGN)
  }

  /// Calls `body` on a thread of its own when a signal has come, at once if one has.
  func whenOneComes(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "feedfs.signals").async { [readEnd] in
      while (try? [UInt8](unsafeUninitializedCapacity: 1) { buffer, count in
        count = try readEnd.read(into: .init(buffer))
      }) == nil {}
      body()
    }
  }
}
