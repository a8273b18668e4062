/// The state of a file, as its attributes show it without reading its bytes.
///
/// No program can set the change time. So two states differ in it if the kernel's clock went on
/// between them. That clock has steps of 1 to 10 ms. Since Linux 6.13, a change after a look at the
/// file gets a time of its own.
struct FileGlance: Hashable, Sendable {
  /// The number of the file in its file system.
  var inode: UInt64
  /// The size of the file in bytes, holes included.
  var size: Int
  /// The time of the last change of bytes or attributes (ctime), in nanoseconds since 1970.
  var changed: Int
}
