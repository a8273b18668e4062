package import Blocks
package import SystemPackage

/// Does the work of the commands `feedfs cache …`. For any thread that is allowed to block on the
/// disk.
extension CacheDirectory {
  /// Returns the cached versions of `entry`, or of all entries if `entry` is nil, sorted by name.
  package func versions(of entry: String? = nil) -> [CachedVersion] {
    let prefix = entry.map { EntryKey.prefix(of: $0, feedKey: feedKey) } ?? ""
    var found: [String: CachedFile] = [:]
    for name in (try? folder.file.names()) ?? [] where name.hasPrefix(prefix) {
      guard let ending = [".data", ".idx"].first(where: name.hasSuffix),
        let status = try? folder.file.open(name, for: .read).status(), status.isRegular
      else { continue }
      let stem = String(name.dropLast(ending.count))
      found[stem, default: CachedFile(name: stem, bytes: 0, used: 0)].bytes += status.storedBytes
      if ending == ".data" { found[stem]?.used = status.modified }
    }
    return found.values.sorted { $0.name < $1.name }.map { file in
      let header = header(of: file.name)
      return CachedVersion(
        name: file.name, key: header?.key, representation: header?.representation,
        stored: file.bytes, used: File.Date.seconds(of: file.used))
    }
  }

  /// Returns the name of the files of `representation`, without `.data` and `.idx`.
  package func name(of key: EntryKey, _ representation: Representation) -> String {
    key.fileName(representation, feedKey: feedKey)
  }

  /// Returns the path of the data of the version called `name`.
  package func dataPath(of name: String) -> FilePath {
    (place ?? folder.path).appending(name + ".data")
  }

  /// True if this process has the version called `name` open.
  package func isOpen(_ name: String) -> Bool {
    openFile(name) != nil
  }

  /// Compares about `bytes` of the version called `name` with their checksums, beginning with the
  /// block `start`. Forgets the blocks that do not agree. Returns nil if there is no such version.
  package func check(_ name: String, from start: BlockIndex, bytes: Int) -> CheckedBlocks? {
    let isOpen = isOpen(name)
    guard let header = header(of: name),
      let file = try? open(header.key, header.representation, contentType: nil, create: false)
    else { return nil }
    let checked = file.check(from: start, bytes: bytes)
    if !isOpen {
      file.keepDate()
      try? file.close()
    }
    return checked
  }

  /// Removes the small documents from the directory. Returns how many bytes they took up on the
  /// disk.
  package func removeDocuments() -> Int {
    ((try? folder.file.names()) ?? []).filter { name in
      [".doc", DocumentSum.ending].contains(where: name.hasSuffix)
      // Sorted by name, a document is removed before its checksum. A document without a checksum
      // would count as one of an older format.
    }.sorted().reduce(0) { sum, name in
      let status = try? folder.file.open(name, for: .read).status()
      try? folder.file.remove(name)
      return sum + (status?.storedBytes ?? 0)
    }
  }

  private func header(of name: String) -> IndexHeader? {
    (try? folder.file.open(name + ".idx", for: .read)).flatMap { try? IndexFile.header(in: $0) }
  }
}

/// The files of one version of an entry in the cache.
package struct CachedVersion: Hashable, Sendable {
  /// The name without `.data` and `.idx`.
  package let name: String
  /// The entry of these bytes; nil if the index cannot be read.
  package let key: EntryKey?
  package let representation: Representation?
  /// Bytes that the files take up on the disk.
  package let stored: Int
  /// The time of the last use in seconds since 1970. A use is a write or a close.
  package let used: Int
}
