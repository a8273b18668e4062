import Feeds
import SystemPackage

/// A feed that is a file of the user's.
enum LocalFile {
  /// Its bytes, and one more than is read of a feed where there are more: a device has no end. A pipe
  /// that nobody writes to is empty.
  static func contents(_ path: String) throws(Errno) -> [UInt8] {
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
      return try file.closeAfter { try file.readAll(atMost: FeedParser.largestBody + 1) }
    } catch {
      throw error as? Errno ?? .ioError
    }
  }
}
