import FeedMount
import Glibc
import SystemPackage

/// What may come between two looks at a mount: signals, and that nobody reads stdout any more.
struct WatchSignals {
  enum Event {
    case time, resized, stop, end
  }

  private let pipe: SignalPipe

  init() throws(MountError) {
    pipe = try SignalPipe([SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGWINCH])
  }

  /// What comes first; time, when so much has passed.
  func wait(_ time: Duration) -> Event {
    let deadline = ContinuousClock.now + time
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else { return .time }
      var wanted = [
        pollfd(fd: pipe.readEnd.rawValue, events: Int16(POLLIN), revents: 0),
        pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
      ]
      guard poll(&wanted, 2, Int32(rest / .milliseconds(1)) + 1) > 0 else { continue }
      if wanted[1].revents & Int16(POLLERR | POLLHUP) != 0 { return .end }
      var byte: UInt8 = 0
      guard wanted[0].revents != 0, read(pipe.readEnd.rawValue, &byte, 1) == 1 else { continue }
      switch Int32(byte) {
      case SIGWINCH: return .resized
      case SIGTSTP: return .stop
      default: return .end
      }
    }
  }
}
