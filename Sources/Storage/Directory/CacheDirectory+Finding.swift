package import Blocks
import SystemPackage

/// Looks at cached files without opening them for use. For any thread that may block on the disk.
extension CacheDirectory {
  /// Returns the version of `entry` that was written last and is not in `replaced`. Returns nil if
  /// the directory had no version of `entry` when it was opened.
  ///
  /// So the version that a killed process was fetching is found, even if no catalog names it.
  package func newest(
    of entry: String, besides replaced: Set<Representation> = []
  ) -> Representation? {
    guard !foundPrefixes.isEmpty else { return nil }
    let prefix = EntryKey.prefix(of: entry, feedKey: feedKey)
    guard foundPrefixes.contains(prefix) else { return nil }
    let names = (try? folder.file.names()) ?? []
    var newest: (representation: Representation, modified: Int)?
    for name in names where name.hasPrefix(prefix) && name.hasSuffix(".idx") {
      guard let file = try? folder.file.open(name, for: .read),
        let modified = try? file.status().modified, modified > newest?.modified ?? .min,
        let header = try? IndexFile.header(in: file), header.key.entry == entry,
        !replaced.contains(header.representation)
      else { continue }
      newest = (header.representation, modified)
    }
    return newest?.representation
  }

  /// Returns how much of `representation` is cached.
  package func holding(_ key: EntryKey, _ representation: Representation) -> Holding {
    let name = key.fileName(representation, feedKey: feedKey)
    if let file = openFile(name) {
      return Holding(
        bytes: file.heldBytes, isDurable: file.isDurable,
        stretches: file.held.stretches(in: file.layout, atMost: Holding.maxStretches))
    }
    let wanted = IndexHeader(
      key: key, representation: representation,
      layout: BlockLayout(length: representation.length, blockSize: blockSize), contentType: nil,
      bootID: "")
    guard let files = try? EntryFiles.existing(name, in: folder, for: .read),
      var (_, state) = try? files.load(matching: wanted, epoch: epoch.value)
    else { return Holding(bytes: 0, isDurable: false) }
    state.suspects = suspects(of: name)
    return Holding(
      bytes: state.held.bytes(in: wanted.layout), isDurable: state.isDurable,
      stretches: state.held.stretches(in: wanted.layout, atMost: Holding.maxStretches))
  }
}

/// The cached part of a version.
package struct Holding: Hashable, Sendable {
  /// Bytes of the complete blocks.
  package var bytes: Int
  /// The value of `EntryFile.isDurable`.
  package var isDurable: Bool
  /// The cached ranges for the status, from `BlockSet.stretches` with `maxStretches`.
  package var stretches: [ByteRange]

  /// The most ranges of one file that are reported. A display could not show more.
  package static let maxStretches = 256

  package init(bytes: Int, isDurable: Bool, stretches: [ByteRange] = []) {
    self.bytes = bytes
    self.isDurable = isDurable
    self.stretches = stretches
  }
}
