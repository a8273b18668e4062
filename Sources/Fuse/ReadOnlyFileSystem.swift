package import Blocks
package import SystemPackage

/// A read-only file system that the kernel asks.
///
/// libfuse's threads call its methods. Every method without a `reply` parameter answers from
/// memory.
package protocol ReadOnlyFileSystem: Sendable {
  func lookup(_ name: String, in directory: NodeID) throws(Errno) -> Attributes
  func attributes(of inode: NodeID) throws(Errno) -> Attributes
  /// Returns the folder that contains `node`. For the root, returns the root.
  func parent(of node: NodeID) throws(Errno) -> NodeID
  /// Answers `reply` now, or later if the asking program needs a size that is not proved yet.
  func attributes(of inode: NodeID, reply: AttributesReply)
  /// Returns the first `limit` names whose cookies are greater than `cookie`, in ascending order of
  /// their cookies.
  func items(
    of directory: NodeID, after cookie: Int, limit: Int
  ) throws(Errno) -> [DirectoryItem]
  /// Returns the path that a symbolic link points to.
  func target(of link: NodeID) throws(Errno) -> String
  /// Returns the names of the extended attributes.
  func attributeNames(of inode: NodeID) throws(Errno) -> [String]
  func attribute(_ name: String, of inode: NodeID) throws(Errno) -> String
  func statistics() -> Statistics
  /// Answers `reply` now or later.
  func open(_ inode: NodeID, reply: OpenReply)
}

/// An opened file. It is in use until `close` is called.
package protocol OpenFile: AnyObject, Sendable {
  /// Answers `reply` now or later. The range can reach beyond the end of the file.
  func read(_ range: ByteRange, reply: ReadReply)
  func close()
}
