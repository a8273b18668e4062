import Blocks
import Control
import Glibc
import TestSupport

/// A feed behind an origin that a promise's test mounts, reads and steers.
///
/// A promise is one body that takes a drive. `DirectDrive` asks the parts of a mount in this
/// process: no kernel and no other process is needed. `MountedFeed` asks the built binary through
/// the kernel. Paths begin with `mountPoint` on both.
protocol Drive: AnyObject, Sendable {
  var origin: OriginProcess { get }
  /// The folder of the test, below which everything lies.
  var folder: String { get }
  var mountPoint: String { get }
  var cacheDirectory: String { get }

  // MARK: The mount

  /// Mounts `feed` of the origin, or of any whole address, with options as `feedfs mount` takes
  /// them; returns when the mount can be read.
  func mount(_ feed: String, options: [String]) throws
  func unmount() throws
  /// The log since the last mount.
  var log: String { get throws }
  var isServed: Bool { get throws }
  /// The disk space of the whole cache, in bytes.
  var usedSpace: Int { get throws }

  // MARK: The tree

  /// Returns the names in a folder, in the order in which it gives them, without those that begin
  /// with a full stop; "" is the root.
  func names(in folder: String) throws -> [String]
  func openFolder(_ path: String) throws -> any OpenedFolder
  /// Looks at a path; follows no link.
  func look(at path: String) throws -> FileFacts
  func target(ofLink path: String) throws -> String
  func attribute(_ name: String, of path: String) throws -> String
  func open(_ path: String) throws -> any OpenedFile
  /// Starts to read bytes of a file, which may wait for any time.
  func reading(of path: String, at offset: Int, count: Int) throws -> Reading
  /// Returns all bytes of a file.
  func bytes(of path: String) throws -> [UInt8]

  // MARK: Commands

  func status() throws -> MountStatus
  func details(of path: String) throws -> FileDetails
  func refresh() throws -> RefreshOutcome
  func turn(_ mode: NetworkMode) throws
  /// The cached files, by their names in the mount; also while nothing is mounted.
  func kept() throws -> [String: CacheItem]
  func change(_ change: CacheChange) throws -> CacheOutcome
  /// Compares the cached bytes of these files with their checksums, or of all if none is named;
  /// returns the wrong blocks by file.
  func verify(_ names: [String]) throws -> [String: Int]
  /// Fetches these files as a whole.
  func fetch(_ names: [String]) throws
}

/// A command that changes the cache.
enum CacheChange {
  case clear([String])
  case pin([String])
  case unpin([String])
}

/// A command that was refused, and why.
struct CommandRefusal: Error, CustomStringConvertible {
  let description: String
}

/// The facts about a path that every `stat` tells.
struct FileFacts: Hashable {
  let inode: UInt64
  let size: Int
  let isFolder: Bool
}

/// An open folder, which is listed in pieces.
protocol OpenedFolder: AnyObject {
  /// Returns the next `count` names but "." and ".."; fewer only at the end.
  func next(_ count: Int) throws -> [String]
}

/// An open descriptor of a file.
protocol OpenedFile: AnyObject, Sendable {
  /// Returns the bytes of one read: fewer than asked mean the end of the file.
  ///
  /// - Throws: `ReadFailure` with the errno, or `TestToolError` if the read never ends.
  func read(_ range: Range<Int>) throws -> [UInt8]
  func facts() throws -> FileFacts
}

extension OpenedFile {
  /// Reads from the first byte to the last.
  func readAll() throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let bytes = try read(all.count..<all.count + 1 << 20)
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  /// Returns the errno of a read; 0 if the read succeeds.
  func failure(of range: Range<Int>) throws -> Int32 {
    do {
      _ = try read(range)
      return 0
    } catch let error as ReadFailure {
      return error.errno
    }
  }
}

/// A read that runs beside the test.
final class Reading: Sendable {
  enum End: Equatable {
    case bytes([UInt8])
    case failed(Int32)
  }

  /// Whether the read waits for its bytes now.
  let isWaiting: @Sendable () -> Bool
  /// Waits for the end; nil if it has not come by then.
  let end: @Sendable (_ within: Duration) -> End?

  init(
    isWaiting: @escaping @Sendable () -> Bool, end: @escaping @Sendable (_ within: Duration) -> End?
  ) {
    self.isWaiting = isWaiting
    self.end = end
  }
}
