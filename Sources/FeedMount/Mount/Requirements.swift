import Glibc
import Storage

/// The requirements that a computer must meet for a mount.
enum Requirements {
  static func check() throws(MountError) {
    guard access("/dev/fuse", F_OK) == 0 else {
      throw MountError(
        .unavailable,
        "/dev/fuse does not exist; load the kernel's module with `modprobe fuse`, or give the container the device"
      )
    }
    guard access("/dev/fuse", R_OK | W_OK) == 0 else {
      throw MountError(
        .permission, "/dev/fuse may not be used by you; ask whoever runs this computer for mode 666"
      )
    }
    let limit = DescriptorLimit.current.count
    guard limit >= DescriptorLimit.least else {
      throw MountError(
        .unavailable,
        "a process may have \(limit) files open here, and a mount needs \(DescriptorLimit.least); raise the limit with `ulimit -n`"
      )
    }
    guard Program.find("fusermount3") != nil else {
      throw MountError(
        .unavailable, "fusermount3 is not installed; on Debian and Ubuntu: `apt install fuse3`")
    }
  }
}
