import CLinux
import Glibc
import SystemPackage

extension File {
  /// A lease for writing is given only to who has the file for himself: nobody else has it open, has it
  /// mapped, or is answered from it by the kernel. Who opens it meanwhile waits (fcntl(2), leases). The
  /// signal that would tell of him is one that does nothing.
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
