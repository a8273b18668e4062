import FeedMount
import Glibc
import Synchronization
import SystemPackage

/// What may come between two looks at a mount: signals, and that nobody reads stdout any more.
struct WatchSignals {
  enum Event {
    case time, resized, stop, end
  }

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
    for number in [SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGWINCH] {
      signal(number) { number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(WatchSignals.pipe.load(ordering: .relaxed), &byte, 1)
      }
    }
    // Who reads no more is noticed by the error of the write.
    signal(SIGPIPE, SIG_IGN)
  }

  /// What comes first; time, when so much has passed.
  func wait(_ time: Duration) -> Event {
    let deadline = ContinuousClock.now + time
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else { return .time }
      var wanted = [
        pollfd(fd: readEnd.rawValue, events: Int16(POLLIN), revents: 0),
        pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
      ]
      guard poll(&wanted, 2, Int32(rest / .milliseconds(1)) + 1) > 0 else { continue }
      if wanted[1].revents & Int16(POLLERR | POLLHUP) != 0 { return .end }
      var byte: UInt8 = 0
      guard wanted[0].revents != 0, read(readEnd.rawValue, &byte, 1) == 1 else { continue }
      switch Int32(byte) {
      case SIGWINCH: return .resized
      case SIGTSTP: return .stop
      default: return .end
      }
    }
  }
}
