/// The pinned entries of a feed. They are stored in the cache, so every mount that shares the cache
/// can read them.
///
/// ```
/// ROOT/<feed>/pinned    the prefix of each entry's file names (EntryKey.prefix), one a line
/// ```
struct PinnedNames: Hashable, Sendable {
  private static let name = "pinned"
  private static let maxBytes = 8 << 20  // bytes: enough for more entries than a feed can have

  private(set) var prefixes: Set<String>

  init(_ prefixes: Set<String> = []) {
    self.prefixes = prefixes
  }

  /// Reads the pins of `folder`. If they cannot be read, no entry counts as pinned.
  init(in folder: any DiskFolder) {
    guard let file = try? folder.open(Self.name, for: .read),
      let bytes = try? file.read(Self.maxBytes, at: 0)
    else {
      self.init()
      return
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    self.init(Set(lines.map(String.init)))
  }

  /// True if the file called `name` is pinned.
  func contains(_ name: String) -> Bool {
    !prefixes.isEmpty && prefixes.contains(EntryKey.prefix(ofName: name))
  }

  /// Replaces the pins of `folder` by these, and waits until they are on the disk. Returns false if
  /// the disk refuses them.
  func store(in folder: any DiskFolder) -> Bool {
    guard !prefixes.isEmpty else {
      do {
        try folder.remove(Self.name)
        try folder.sync()
        return true
      } catch {
        return PinnedNames(in: folder).prefixes.isEmpty
      }
    }
    let temporary = Self.name + ".new"
    try? folder.remove(temporary)
    do {
      let file = try folder.open(temporary, for: .create)
      try file.write(Array(prefixes.sorted().joined(separator: "\n").utf8), at: 0)
      try file.sync()
      try folder.rename(temporary, to: Self.name)
      try folder.sync()
      return true
    } catch {
      try? folder.remove(temporary)
      return false
    }
  }
}
