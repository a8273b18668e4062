/// The state of a file, as its attributes show it without reading its bytes.
///
/// No program can set the change time. So two states have different change times if the kernel's
/// clock went on between them. Since Linux 6.13 each change that was looked at has its own time;
/// before, the clock has steps of 1 to 10 ms.
struct FileGlance: Hashable, Sendable {
  /// The number of the file in its file system.
  var inode: UInt64
  /// Bytes of the file, holes included.
  var size: Int
  /// The time of the last change of bytes or attributes (ctime), in nanoseconds since 1970.
  var changed: Int
}
