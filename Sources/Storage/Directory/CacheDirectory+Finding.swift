package import Blocks
import SystemPackage

/// What lies in the cache, without opening it for use. Blocks on the disk; for any thread.
extension CacheDirectory {
  /// The version of `entry`, none of `replaced`, that was written to last, if the directory had one when
  /// it was opened.
  ///
  /// What was on its way when the process was killed is found by this, though no catalog knows of it.
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

  /// What is held of `representation`.
  package func holding(_ key: EntryKey, _ representation: Representation) -> Holding {
    let name = key.fileName(representation, feedKey: feedKey)
    if let file = openFile(name) {
      return Holding(
        bytes: file.heldBytes, isSound: file.isSound,
        stretches: file.held.stretches(in: file.layout, atMost: Holding.mostStretches))
    }
    let wanted = IndexHeader(
      key: key, representation: representation,
      layout: BlockLayout(length: representation.length, blockSize: blockSize), contentType: nil,
      bootID: "")
    guard let files = try? EntryFiles.existing(name, in: folder, for: .read),
      var (_, state) = try? files.load(matching: wanted, epoch: epoch.value)
    else { return Holding(bytes: 0, isSound: false) }
    state.suspects = suspects(of: name)
    return Holding(
      bytes: state.held.bytes(in: wanted.layout), isSound: state.isSound,
      stretches: state.held.stretches(in: wanted.layout, atMost: Holding.mostStretches))
  }
}

/// What the cache has of a representation.
package struct Holding: Hashable, Sendable {
  /// Of the blocks that are whole.
  package var bytes: Int
  /// As `EntryFile.isSound`.
  package var isSound: Bool
  /// Where they lie, for the status, as `BlockSet.stretches` of `mostStretches`.
  package var stretches: [ByteRange]

  /// So many can be told of a file; more would be no more to be seen.
  package static let mostStretches = 256

  package init(bytes: Int, isSound: Bool, stretches: [ByteRange] = []) {
    self.bytes = bytes
    self.isSound = isSound
    self.stretches = stretches
  }
}
