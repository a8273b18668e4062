import Glibc
import SystemPackage

extension File {
  /// A date to set as the time of a file's last change.
  enum Date: Hashable, Sendable {
    case now
    /// The time 34 years ago (2³⁰ s). It is before the date of every file that was changed since,
    /// and after the date of every file that was set back earlier. So dates show the order of last
    /// uses.
    case longAgo
    /// Nanoseconds since 1970.
    case at(Int)

    private static let long = 1 << 30  // seconds

    /// Returns the time of the last use in seconds since 1970. `nanoseconds` is the date of the
    /// file, also since 1970. If the date was set back, this undoes it.
    static func seconds(of nanoseconds: Int) -> Int {
      let seconds = nanoseconds / 1_000_000_000
      return time(nil) - seconds > long / 2 ? seconds + long : seconds
    }

    fileprivate static func setBack(_ time: inout timespec) {
      time.tv_sec -= long
    }
  }

  /// Sets the time of the last change.
  func touch(_ date: Date) throws(Errno) {
    var changed = timespec()
    switch date {
    case .now: clock_gettime(CLOCK_REALTIME, &changed)
    case .longAgo:
      clock_gettime(CLOCK_REALTIME, &changed)
      Date.setBack(&changed)
    case .at(let nanoseconds):
      let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
      changed = timespec(tv_sec: seconds, tv_nsec: rest)
    }
    let times = [changed, changed]
    _ = try Self.calling { futimens(descriptor, times) }.get()
  }
}
