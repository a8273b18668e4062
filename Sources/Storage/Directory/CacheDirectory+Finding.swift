package import Blocks
import Locks
import SystemPackage

/// Tells which bytes are cached, without opening their files for readers. For any thread that is
/// allowed to block on the disk.
extension CacheDirectory {
  /// Returns the version of `entry` that was written last, and is not in `replaced`. Returns nil if
  /// the directory had no version of `entry` when the directory was opened.
  ///
  /// So this finds the version that a killed process was fetching, even if no catalog names that
  /// version.
  package func newest(
    of entry: String, besides replaced: Set<Representation> = []
  ) -> Representation? {
    guard foundPrefixes.contains(EntryKey.prefix(of: entry, feedKey: feedKey)) else { return nil }
    return newest(of: entry) { !$0.key.isGrowing && !replaced.contains($0.representation) }?
      .representation
  }

  /// Returns the validator of the growing body of `entry` that was written last; nil if no such
  /// body is cached.
  ///
  /// - Parameters:
  ///   - salt: the `EntryKey.salt` by which a body without a validator is found again.
  ///   - maxLength: the length in bytes that the cache gives to each growing body, because its
  ///     length is not known: the most bytes that are read of one.
  package func growing(of entry: String, salt: String, maxLength: Int) -> Validator? {
    let prefix = EntryKey.prefix(of: entry, feedKey: feedKey)
    guard foundPrefixes.contains(prefix) || growing.withLock({ $0.contains(prefix) }) else {
      return nil
    }
    return newest(of: entry) { header in
      header.key.isGrowing && header.representation.length == maxLength
        && (header.representation.validator != .none || header.key.salt == salt)
    }?.representation.validator
  }

  /// Returns the header of the version of `entry` that was written last and for which `isWanted`
  /// returns true; nil if there is none.
  private func newest(of entry: String, where isWanted: (IndexHeader) -> Bool) -> IndexHeader? {
    let prefix = EntryKey.prefix(of: entry, feedKey: feedKey)
    let names = (try? folder.file.names()) ?? []
    var newest: (header: IndexHeader, modified: Int)?
    for name in names where name.hasPrefix(prefix) && name.hasSuffix(".idx") {
      guard let file = try? folder.file.open(name, for: .read),
        let modified = try? file.status().modified, modified > newest?.modified ?? .min,
        let header = try? IndexFile.header(in: file), header.key.entry == entry, isWanted(header)
      else { continue }
      newest = (header, modified)
    }
    return newest?.header
  }

  /// Returns how much of `representation` is cached.
  package func holding(_ key: EntryKey, _ representation: Representation) -> Holding {
    let name = key.fileName(representation, feedKey: feedKey)
    if let file = knownFile(name) { return Holding(of: file) }
    return looks.holding(name) {
      knownFile(name).map(Holding.init(of:)) ?? holdingOnDisk(name, key, representation)
    }
  }

  private func holdingOnDisk(
    _ name: String, _ key: EntryKey, _ version: Representation
  ) -> Holding {
    let wanted = IndexHeader(
      key: key, representation: version,
      layout: BlockLayout(length: version.length, blockSize: blockSize), contentType: nil)
    guard let files = try? EntryFiles.existing(name, in: folder, for: .read),
      var (_, state) = try? files.load(matching: wanted, epoch: epoch.value)
    else { return Holding(bytes: 0, isDurable: false) }
    state.suspects = suspects(of: name)
    return Holding(
      bytes: state.cachedBlocks.bytes(in: wanted.layout), isDurable: state.isDurable,
      extents: state.cachedBlocks.extents(in: wanted.layout, atMost: Holding.maxExtents))
  }
}

/// The cached part of a version.
package struct Holding: Hashable, Sendable {
  /// The number of bytes in complete blocks.
  package var bytes: Int
  /// The value of `EntryFile.isDurable`.
  package var isDurable: Bool
  /// The cached ranges in ascending order, at most `maxExtents`: see `BlockSet.extents`.
  package var extents: [ByteRange]

  /// The limit for the number of `extents`. No status display can show more ranges of one file.
  package static let maxExtents = 256

  package init(bytes: Int, isDurable: Bool, extents: [ByteRange] = []) {
    self.bytes = bytes
    self.isDurable = isDurable
    self.extents = extents
  }

  init(of file: EntryFile) {
    self.init(
      bytes: file.cachedByteCount, isDurable: file.isDurable,
      extents: file.cachedBlocks.extents(in: file.layout, atMost: Self.maxExtents))
  }
}
