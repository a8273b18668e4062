package import Blocks
import Locks
import SystemPackage

/// Loads and stores the suspect ranges of cached versions.
extension CacheDirectory {
  /// Returns the suspect bytes of the version called `name`. If they cannot be read, all bytes are
  /// suspect. Blocks on the disk.
  func suspects(of name: String) -> [ByteRange] {
    let everything = [0..<Int.max]
    do throws(Errno) {
      let file = try folder.file.open(name + SuspectRanges.ending, for: .read)
      let bytes = try file.read(file.status().size, at: 0)
      return SuspectRanges.decoded(bytes) ?? everything
    } catch .noSuchFileOrDirectory {
      return []
    } catch {
      return everything
    }
  }

  /// Replaces the suspect ranges of `file`. They survive a kill of the process. If the disk does
  /// not take the ranges, the blocks of these ranges are dropped, because the next process would
  /// trust their bytes.
  package func suspect(_ ranges: [ByteRange], of file: EntryFile) {
    file.state.withLock { $0.suspects = ranges }
    guard let data = file.path.lastComponent?.string, data.hasSuffix(".data") else { return }
    let stem = String(data.dropLast(".data".count))
    // The file of a cleared version has lost its name, and another file can have that name by now.
    guard openFile(stem) === file else { return }
    let name = stem + SuspectRanges.ending
    guard !ranges.isEmpty else { return (try? folder.file.remove(name)) ?? () }
    do throws(Errno) {
      try store(ranges, as: name)
    } catch {
      for range in ranges { file.drop(file.layout.blocks(touching: range)) }
    }
  }

  private func store(_ ranges: [ByteRange], as name: String) throws(Errno) {
    let temporary = name + ".new"
    try folder.file.remove(temporary)
    let new = try folder.file.open(temporary, for: .create)
    try new.write(SuspectRanges.encoded(ranges), at: 0)
    try folder.file.rename(temporary, to: name)
  }
}
