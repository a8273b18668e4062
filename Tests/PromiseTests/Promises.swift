import Testing

/// The promises of feedfs to its users, on real mounts. They run one after the other, since some
/// are about time.
@Suite(
  .serialized,
  .enabled(if: canMount, "there is no /dev/fuse that this user may use"))
enum Promises {}
