import Blocks

/// The order in which versions are evicted when the cache is full: first the orphans of mounted
/// feeds, then all others, longest unused first. Pinned files are never evicted.
struct EvictionPlan: Sendable {
  /// One version to evict, and how much of it.
  struct Step: Hashable, Sendable {
    let folder: String
    let name: String
    /// True if the beginning and the end of the file stay (`RetainedEnds`).
    let keepsEnds: Bool
    /// About how many bytes this step frees on the disk.
    let gain: Int
  }

  let steps: [Step]

  /// - Parameters:
  ///   - files: the files of each folder.
  ///   - listed: the prefixes of the file names of listed entries, by folder. The folders of feeds
  ///     that are not mounted are missing here, and no file in them counts as listed.
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

/// The bytes at the beginning and the end of a file that an eviction leaves. They stay because a
/// player asks for them first.
struct RetainedEnds: Hashable, Sendable {
  var head = 512 << 10
  var tail = 256 << 10
  /// The most bytes that the index of a version with only these ends takes up on the disk. It is
  /// low because the index is sparse.
  var index = 64 << 10

  /// The most bytes that all files of a version with only these ends take up on the disk.
  var most: Int { head + tail + index }

  func blocks(in layout: BlockLayout) -> BlockSet {
    var blocks = BlockSet(layout.blocks(touching: 0..<min(head, layout.length)))
    blocks.insert(layout.blocks(touching: max(0, layout.length - tail)..<layout.length))
    return blocks
  }
}

/// The size on the disk of the files of one version, and the time of their last use.
struct CachedFile: Hashable, Sendable {
  /// The name of the files without their endings. All files that belong to no version count as one,
  /// and its name is empty.
  let name: String
  var bytes: Int
  /// The modification time of the data file in nanoseconds since 1970. It is the time of the last
  /// write or close, or a date that was set on purpose (`File.Date`).
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
