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
