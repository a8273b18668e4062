import Blocks

/// What goes first when the cache is full: what no feed lists any more, then the longest unused; never
/// what is pinned.
struct EvictionPlan: Sendable {
  struct Step: Hashable, Sendable {
    let folder: String
    let name: String
    /// Whether head and tail stay.
    let keepsEnds: Bool
    /// Bytes that become free, about.
    let gain: Int
  }

  let steps: [Step]

  /// - Parameters:
  ///   - files: by folder.
  ///   - listed: for the folders of feeds that are mounted, what the names of files begin with whose
  ///     entries are listed. In other folders nothing is.
  ///   - pinned: by folder.
  init(
    _ files: [String: [CachedFile]], listed: [String: Set<String>],
    pinned: [String: PinnedNames] = [:], ends: KeptEnds
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

/// How much of the head and of the tail of a file stays when the rest has to go, in bytes: what a player
/// asks for first.
struct KeptEnds: Hashable, Sendable {
  var head = 512 << 10
  var tail = 256 << 10
  /// What their index may take up, which is sparse.
  var index = 64 << 10

  /// What the files of a version that has only these may take up.
  var most: Int { head + tail + index }

  func blocks(in layout: BlockLayout) -> BlockSet {
    var blocks = BlockSet(layout.blocks(touching: 0..<min(head, layout.length)))
    blocks.insert(layout.blocks(touching: max(0, layout.length - tail)..<layout.length))
    return blocks
  }
}

/// What the files of one version take up on the disk, and when they were used last.
struct CachedFile: Hashable, Sendable {
  /// Before `.data` and `.idx`; empty: everything else together.
  let name: String
  var bytes: Int
  /// Nanoseconds since 1970: when the data was last written or closed, or as `File.Date` has it.
  var used: Int

  /// Those in `folder`.
  static func all(in folder: File) -> [CachedFile] {
    var files: [String: CachedFile] = [:]
    for name in (try? folder.names()) ?? [] {
      guard let status = try? folder.status(of: name), status.isRegular else { continue }
      let ending = [".data", ".idx"].first(where: name.hasSuffix)
      let stem = ending.map { String(name.dropLast($0.count)) } ?? ""
      files[stem, default: CachedFile(name: stem, bytes: 0, used: 0)].bytes += status.storedBytes
      if ending != ".idx" { files[stem]?.used = status.modified }
    }
    return Array(files.values)
  }
}
