import Blocks
import Storage
import SystemPackage
import TestSupport

/// A cache in a temporary directory with blocks of 16 bytes, for an entry of 100: 6.25 blocks.
struct CacheFixture {
  static let blockSize = 16
  static let length = 100
  static let representation = Representation(length: length, validator: .entityTag("\"1\""))
  static let key = EntryKey(entry: "urn:entry:1")

  let temporary = TemporaryDirectory()

  var root: FilePath {
    temporary.path.appending("cache")
  }

  /// The feed's folder.
  var folder: FilePath {
    root.appending(Fingerprint(of: "feed").description)
  }

  /// Opens the cache. Dropping the result without closing it is an unclean stop.
  func directory(flushDelay: Duration = .seconds(2)) throws(StorageError) -> CacheDirectory {
    try CacheDirectory(
      at: root, feedKey: "feed", minFree: .bytes(0), blockSize: Self.blockSize,
      flushDelay: flushDelay)
  }

  /// Returns the only file in the folder with this ending.
  func path(endingWith suffix: String) throws -> FilePath {
    let names = TemporaryDirectory.names(in: folder).filter { $0.hasSuffix(suffix) }
    return folder.appending(names.count == 1 ? names[0] : "not one file but \(names.count)")
  }

  /// Caches `ranges`, then stops: cleanly, or as if killed.
  func keep(
    _ ranges: [ByteRange], closing: Bool, flushDelay: Duration = .seconds(2)
  ) throws {
    let directory = try directory(flushDelay: flushDelay)
    let file = try directory.file()
    for range in ranges { try file.write(range) }
    // A kill comes when all complete blocks are in their file.
    if closing { directory.close() } else { try file.writeOut() }
  }
}

extension CacheDirectory {
  /// Opens the file of the fixture's entry; creates it if missing.
  func file(
    _ representation: Representation = CacheFixture.representation, key: EntryKey = CacheFixture.key
  ) throws -> EntryFile {
    guard let file = try open(key, representation, contentType: "video/mp4", create: true) else {
      throw Missing()
    }
    return file
  }

  struct Missing: Error {}
}

extension EntryFile {
  /// Writes the pattern's bytes.
  func write(_ range: ByteRange, seed: UInt64 = 0) throws {
    try write(Pattern.bytes(range, seed: seed).span.bytes, at: range.lowerBound)
  }

  /// Returns the bytes that are lent of `range`; nil if they are not.
  func bytes(_ range: ByteRange) -> [UInt8]? {
    var bytes: [UInt8]?
    let loan = lend(range) { span in
      bytes = span.withUnsafeBytes { Array($0) }
      return true
    }
    return loan == .lent ? bytes : nil
  }

  /// Returns the blocks that can be lent, one by one; nil if one has a wrong byte.
  func lendableBlocks(seed: UInt64 = 0) -> BlockSet? {
    var lent = BlockSet()
    for block in layout.all {
      let range = layout.bytes(of: block)
      guard let bytes = bytes(range) else { continue }
      guard bytes == Pattern.bytes(range, seed: seed) else { return nil }
      lent.insert(block)
    }
    return lent
  }
}

extension BlockSet {
  init(_ range: Range<Int>) {
    self.init(BlockIndex(range.lowerBound)..<BlockIndex(range.upperBound))
  }
}
