import CLinux
import Glibc

/// The number of files and sockets that the process is allowed to have open at once (getrlimit(2),
/// RLIMIT_NOFILE). This type also decides how many of them connections, cache files and other uses
/// get.
package struct DescriptorLimit: Hashable, Sendable {
  /// Every descriptor has a number below this.
  package let count: Int

  package init(_ count: Int) {
    self.count = count
  }

  /// The limit for connections to origins, including idle ones.
  package var connections: Int {
    min(max(3, count / 8), 512)
  }

  /// Cache files get the descriptor numbers below this. Higher numbers are for the network, and for
  /// files that are open only for a moment.
  var endOfFiles: Int {
    count - connections - min(max(4, count / 16), 64)
  }

  // MARK: Of this process

  /// The number of descriptors that a mount of one feed needs, with one open file and one
  /// connection.
  package static let minDescriptors = 32
  /// The highest limit that `raise` sets. A higher one would only cost time in programs that loop
  /// over all possible descriptors.
  private static let maxDescriptors: UInt = 1 << 16
  private static let inherited = read()

  /// The limit at this moment. Other processes can change it at any time (prlimit(2)).
  package static var current: Self {
    Self(Int(clamping: read().rlim_cur))
  }

  /// Raises the limit as far as the system allows, at most to `maxDescriptors`. The process calls
  /// it once, at its start.
  package static func raise() {
    var limit = inherited
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, maxDescriptors))
    _ = feedfs_set_descriptor_limit(0, &limit)
  }

  /// Gives a child process the limit with which this process was started. A program that uses
  /// select(2) would fail with descriptors above 1023.
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
