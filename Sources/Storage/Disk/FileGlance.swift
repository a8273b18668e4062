/// Tells one state of a file from another without a look at its bytes.
///
/// No program can set the change time. So two states differ in it if the kernel's clock for it went on
/// between them. Linux gives each change that is looked at a time of its own since 6.13, and counts in
/// steps of 1 to 10 ms before.
struct FileGlance: Hashable, Sendable {
  /// The number of the file in its file system.
  var inode: UInt64
  /// Bytes of the file, holes included.
  var size: Int
  /// The time of the last change of bytes or attributes (ctime), in nanoseconds since 1970.
  var changed: Int
}
