import CLinux
import Glibc
import SystemPackage

extension File {
  /// Punches holes under a write lease. The kernel grants the lease only if the file is not open or
  /// mapped elsewhere, and not in use for passthrough. An open by anyone else waits for the end of
  /// the lease (fcntl(2), leases). The kernel reports it by the signal SIGURG, which does nothing
  /// by default.
  func punch(_ ranges: [Range<Int>], willPunch: () -> Bool) throws(Errno) {
    guard fcntl(descriptor, feedfs_setsig, SIGURG) == 0,
      fcntl(descriptor, feedfs_setlease, Int32(F_WRLCK)) == 0
    else { throw .resourceTemporarilyUnavailable }
    defer { _ = fcntl(descriptor, feedfs_setlease, Int32(F_UNLCK)) }
    guard willPunch() else { return }
    for range in ranges {
      _ = try Self.calling {
        feedfs_fallocate(descriptor, feedfs_punch_hole, range.lowerBound, range.count)
      }.get()
    }
  }
}
