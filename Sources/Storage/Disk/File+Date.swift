import Glibc
import SystemPackage

extension File {
  /// A date that a file gets as its modification time.
  enum Date: Hashable, Sendable {
    case now
    /// The time 34 years ago (2³⁰ s). It is before the dates of all files whose date was not set
    /// back, and after the dates that were set back earlier. So dates still show the order of last
    /// uses.
    case longAgo
    /// Nanoseconds since 1970.
    case at(Int)

    private static let long = 1 << 30  // seconds

    /// Returns the time of the last use in seconds since 1970. `nanoseconds` is the date of the
    /// file, also since 1970. If the date is `longAgo`, adds the 2³⁰ s again.
    static func seconds(of nanoseconds: Int) -> Int {
      let seconds = nanoseconds / 1_000_000_000
      return time(nil) - seconds > long / 2 ? seconds + long : seconds
    }

    fileprivate static func setBack(_ time: inout timespec) {
      time.tv_sec -= long
    }
  }

  /// Sets the modification time.
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
