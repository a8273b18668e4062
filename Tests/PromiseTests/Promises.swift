import Testing

/// The promises of feedfs to its users, on real mounts. They run one after the other, since some
/// are about time.
///
/// A test with a parameter `on drive` runs on each drive: see `Drive`.
@Suite(
  .serialized, .onThreadsOfTheirOwn,
  .enabled(
    if: canMount || !DriveKind.all.contains(.kernel),
    "there is no /dev/fuse that this user may use; FEEDFS_DRIVES=direct needs none"))
enum Promises {}
