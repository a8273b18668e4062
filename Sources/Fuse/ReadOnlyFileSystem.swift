package import Blocks
package import SystemPackage

/// What the kernel may ask of a read-only file system.
///
/// Called on libfuse's threads. All but what answers a reply answer from memory.
package protocol ReadOnlyFileSystem: Sendable {
  func lookup(_ name: String, in directory: NodeID) throws(Errno) -> Attributes
  func attributes(of inode: NodeID) throws(Errno) -> Attributes
  /// Answers `reply` now, or later to a program that needs to know a size which is not proved.
  func attributes(of inode: NodeID, reply: AttributesReply)
  /// The first `limit` names behind `cookie`, in ascending order of their cookies.
  func items(
    of directory: NodeID, after cookie: Int, limit: Int
  ) throws(Errno) -> [DirectoryItem]
  /// Where a symbolic link points.
  func target(of link: NodeID) throws(Errno) -> String
  /// Names of extended attributes.
  func attributeNames(of inode: NodeID) throws(Errno) -> [String]
  func attribute(_ name: String, of inode: NodeID) throws(Errno) -> String
  func statistics() -> Statistics
  /// Answers `reply` now or later.
  func open(_ inode: NodeID, reply: OpenReply)
}

/// A file that was opened, until its last descriptor is closed.
package protocol OpenFile: AnyObject, Sendable {
  /// Answers `reply` now or later; a range may reach beyond the end.
  func read(_ range: ByteRange, reply: ReadReply)
  func close()
}
