import Glibc
import Testing

/// Promises about bad times: origins, networks, disks and users that do not do what one hopes.
///
/// One after the other, since figures are measured.
@Suite(
  .serialized,
  .enabled(if: access("/dev/fuse", R_OK | W_OK) == 0, "mounting needs /dev/fuse"))
enum FaultPromises {}
