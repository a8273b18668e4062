import Blocks

/// The order of eviction when the cache is full. Orphans of mounted feeds go first, then the files
/// that were unused longest. Pinned files never go.
struct EvictionPlan: Sendable {
  /// The eviction of one version.
  struct Step: Hashable, Sendable {
    let folder: String
    let name: String
    /// True if the head and the tail of the file stay.
    let keepsEnds: Bool
    /// About how many bytes become free.
    let gain: Int
  }

  let steps: [Step]

  /// - Parameters:
  ///   - files: the files of each folder.
  ///   - listed: the prefixes of the file names of listed entries, by folder. Only mounted feeds
  ///     have them. In other folders no file is listed.
  ///   - pinned: the pins of each folder.
  init(
    _ files: [String: [CachedFile]], listed: [String: Set<String>],
    pinned: [String: PinnedNames] = [:], ends: RetainedEnds
  ) {
    var steps: [(step: Step, rank: (Int, Int))] = []
    for (folder, files) in files {
      for file in files where !(pinned[folder]?.contains(file.name) ?? false) {
        let prefix = EntryKey.prefix(ofName: file.name)
        let isListed = listed[folder]?.contains(prefix) ?? false
        let gain = isListed ? file.bytes - ends.most : file.bytes
        guard gain > 0, !prefix.isEmpty else { continue }
        let isOrphan = listed[folder] != nil && !isListed
        steps.append(
          (
            Step(folder: folder, name: file.name, keepsEnds: isListed, gain: gain),
            (isOrphan ? 0 : 1, file.used)
          ))
      }
    }
    self.steps = steps.sorted { $0.rank < $1.rank }.map(\.step)
  }
}

/// The bytes at the head and the tail of a file that stay when the rest is evicted. They stay
/// because a player asks for them first.
struct RetainedEnds: Hashable, Sendable {
  var head = 512 << 10
  var tail = 256 << 10
  /// The limit for the index of a version with only these ends. It is low because the index is
  /// sparse.
  var index = 64 << 10

  /// The limit for the bytes that a version with only these ends takes up on the disk.
  var most: Int { head + tail + index }

  func blocks(in layout: BlockLayout) -> BlockSet {
    var blocks = BlockSet(layout.blocks(touching: 0..<min(head, layout.length)))
    blocks.insert(layout.blocks(touching: max(0, layout.length - tail)..<layout.length))
    return blocks
  }
}

/// The size on the disk of the files of one version, and the time of their last use.
struct CachedFile: Hashable, Sendable {
  /// The name without its ending. It is empty for all files together that belong to no version.
  let name: String
  var bytes: Int
  /// The date of the data file in nanoseconds since 1970: the time of the last write or close, or a
  /// date that `File.Date` has set.
  var used: Int

  /// Returns the files in `folder`, in no order.
  static func all(in folder: File) -> [CachedFile] {
    var files: [String: CachedFile] = [:]
    for name in (try? folder.names()) ?? [] where !name.hasSuffix(OldFile.ending) {
      guard let status = try? folder.status(of: name), status.isRegular else { continue }
      let ending = EntryFiles.endings.first(where: name.hasSuffix)
      let stem = ending.map { String(name.dropLast($0.count)) } ?? ""
      files[stem, default: CachedFile(name: stem, bytes: 0, used: 0)].bytes += status.storedBytes
      if ending == nil || ending == ".data" { files[stem]?.used = status.modified }
    }
    return Array(files.values)
  }
}
