import Control
import Glibc
import TestSupport

/// Commands about the cache.
extension MountedFeed {
  /// The fields of `feedfs cache list --json` that the tests read.
  struct Listing: Decodable {
    struct Cache: Decodable {
      let mountPoint: String?
      let path: String
      let files: [CacheItem]
    }

    let schema: Int
    let caches: [Cache]
  }

  /// Runs `feedfs cache …` with the cache directory of this test.
  func cache(_ arguments: String...) throws -> (status: Int32, out: String, err: String) {
    try cache(arguments)
  }

  func cache(_ arguments: [String]) throws -> (status: Int32, out: String, err: String) {
    try feedfs(["cache"] + arguments + ["--cache-dir", cacheDirectory])
  }

  /// The cached files, by their names in the mount.
  func kept() throws -> [String: CacheItem] {
    let outcome = try cache("list", "--json")
    guard outcome.status == 0 else { throw TestToolError("no list: \(outcome.err)") }
    let listing = try Wire.decode(Listing.self, from: Array(outcome.out.utf8))
    // A file of an unmounted feed is named with its feed.
    let items = listing.caches.flatMap { cache in
      cache.files.map { item in
        let name = item.name.split(separator: "/").last.map(String.init) ?? item.name
        return (cache.mountPoint == nil ? name : item.name, item)
      }
    }
    return Dictionary(items) { first, _ in first }
  }

  var usedSpace: Int {
    get throws {
      // Files that vanish while du(1) runs are no error here.
      let outcome = try ChildProcess.run(["du", "-s", "--block-size=1", cacheDirectory])
      return Int(outcome.out.prefix { $0.isNumber }) ?? 0
    }
  }

  /// The path of the only data file that the cache has of an entry.
  func dataFile(_ name: String = "0001.mp4") throws -> String {
    guard let path = try kept()[name]?.path else { throw TestToolError("\(name) is not kept") }
    return path
  }
}

/// Inverts the byte at `offset` of a file.
func flip(_ offset: Int, of path: String) throws {
  let file = open(path, O_RDWR | O_CLOEXEC)
  guard file >= 0 else { throw TestToolError("\(path) cannot be opened") }
  defer { close(file) }
  var byte: UInt8 = 0
  guard pread(file, &byte, 1, off_t(offset)) == 1 else { throw TestToolError("\(path) is short") }
  byte = ~byte
  guard pwrite(file, &byte, 1, off_t(offset)) == 1 else {
    throw TestToolError("\(path) is not written")
  }
}
