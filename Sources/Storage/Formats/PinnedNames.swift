/// Of which entries nothing is ever given up, as every mount that shares the cache can see it.
///
/// ```
/// ROOT/<feed>/pinned    what the names of their files begin with, a line each
/// ```
struct PinnedNames: Hashable, Sendable {
  private static let name = "pinned"
  private static let longest = 8 << 20  // bytes: of more entries than a feed may have

  private(set) var prefixes: Set<String>

  init(_ prefixes: Set<String> = []) {
    self.prefixes = prefixes
  }

  /// Those of `folder`; where that cannot be told there are none.
  init(in folder: any DiskFolder) {
    guard let file = try? folder.open(Self.name, for: .read),
      let bytes = try? file.read(Self.longest, at: 0)
    else {
      self.init()
      return
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    self.init(Set(lines.map(String.init)))
  }

  /// Whether the file called `name` is one of them.
  func contains(_ name: String) -> Bool {
    !prefixes.isEmpty && prefixes.contains(EntryKey.prefix(ofName: name))
  }

  /// Puts these in the place of those of `folder`; false: the disk does not take them.
  func store(in folder: any DiskFolder) -> Bool {
    guard !prefixes.isEmpty else {
      try? folder.remove(Self.name)
      return PinnedNames(in: folder).prefixes.isEmpty
    }
    let temporary = Self.name + ".new"
    try? folder.remove(temporary)
    do {
      let file = try folder.open(temporary, for: .create)
      try file.write(Array(prefixes.sorted().joined(separator: "\n").utf8), at: 0)
      try file.sync()
      try folder.rename(temporary, to: Self.name)
      return true
    } catch {
      try? folder.remove(temporary)
      return false
    }
  }
}
