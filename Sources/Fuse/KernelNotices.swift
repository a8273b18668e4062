/// Sends the notices of a file system to the kernel that has mounted it.
///
/// Safe from any thread, even from a thread that serves a request.
package protocol KernelNotices: AnyObject, Sendable {
  /// Whether the kernel can read files by itself. It is false until the kernel has sent its first
  /// request.
  var passesThrough: Bool { get }

  /// Makes the kernel forget the attributes of `inode`, and ask for them again.
  func attributesChanged(of inode: NodeID)

  /// Makes the kernel take `size`, in bytes, as the size of `inode`. No process must have `inode`
  /// open.
  ///
  /// - Parameters:
  ///   - isGreater: whether all sizes of `inode` that the kernel got until now are smaller. If not,
  ///     the kernel can only forget the size that it has, and ask again.
  ///   - then: receives whether the kernel has taken the size. It is called on a thread that sends
  ///     notices.
  func sizeProved(
    _ size: Int, of inode: NodeID, isGreater: Bool, then: @escaping @Sendable (Bool) -> Void
  )

  /// Makes the kernel take `size`, in bytes, as the size of `inode`, which programs can have open
  /// and read. All sizes of `inode` that the kernel got until now must be smaller.
  ///
  /// - Parameters:
  ///   - last: the last byte of the file. The kernel puts it into its cached page.
  ///   - then: as in `sizeProved`.
  func sizeGrew(
    to size: Int, last: UInt8, of inode: NodeID, then: @escaping @Sendable (Bool) -> Void
  )

  /// Makes the kernel forget its cached bytes of `inode`, and read them again.
  func contentsChanged(of inode: NodeID)

  /// Makes the kernel forget which file `name` stands for.
  func nameChanged(_ name: String, in directory: NodeID)

  /// Ends the waiting requests of a process with an error, and returns their number.
  func release(_ process: Int32) -> Int
}

extension KernelNotices {
  /// The default ends nothing, for a receiver that knows no processes.
  package func release(_ process: Int32) -> Int { 0 }
}
