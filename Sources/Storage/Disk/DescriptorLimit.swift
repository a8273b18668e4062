import CLinux
import Glibc

/// How many files and sockets the process may have open at once (getrlimit(2), RLIMIT_NOFILE), and who
/// may have how many of them.
package struct DescriptorLimit: Hashable, Sendable {
  /// Every descriptor has a number below this.
  package let count: Int

  package init(_ count: Int) {
    self.count = count
  }

  /// Connections to origins, kept ones among them.
  package var connections: Int {
    min(max(3, count / 8), 512)
  }

  /// Files of the cache take numbers below this. What is left is the network's, and of what is opened for
  /// a moment.
  var endOfFiles: Int {
    count - connections - min(max(4, count / 16), 64)
  }

  // MARK: Of this process

  /// The need of a mount of one feed, with one file of it open, and one connection.
  package static let least = 32
  /// More would only cost time where somebody goes through all numbers.
  private static let most: UInt = 1 << 16
  private static let inherited = read()

  /// The limit at this moment; anybody may change it while the process runs (prlimit(2)).
  package static var current: Self {
    Self(Int(clamping: read().rlim_cur))
  }

  /// Takes as many as are allowed. To be called once, when the process begins.
  package static func raise() {
    var limit = inherited
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, most))
    _ = feedfs_set_descriptor_limit(0, &limit)
  }

  /// Gives a program that was started here the limit that this process was started with: one with
  /// select(2) cannot use more.
  package static func lower(for process: Int32) {
    var limit = inherited
    guard limit.rlim_cur < read().rlim_cur else { return }
    _ = feedfs_set_descriptor_limit(process, &limit)
  }

  private static func read() -> rlimit {
    var limit = rlimit(rlim_cur: 1024, rlim_max: 1024)
    _ = feedfs_descriptor_limit(&limit)
    return limit
  }
}
