/// The attributes of a file that show whether it has changed.
///
/// No program can set `changed`; only the kernel does, by a clock with steps of 1 to 10 ms. Two
/// changes in one step can get the same time. Since Linux 6.13, a change after the attributes were
/// read always gets a later time.
struct FileGlance: Hashable, Sendable {
  /// The number of the file in its file system.
  var inode: UInt64
  /// The size of the file in bytes, holes included.
  var size: Int
  /// The time of the last change of bytes or attributes (ctime), in nanoseconds since 1970.
  var changed: Int
}
