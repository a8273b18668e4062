package import Blocks
import NIOConcurrencyHelpers
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

  /// Replaces the suspect ranges of `file`. They survive a kill of the process.
  package func suspect(_ ranges: [ByteRange], of file: EntryFile) {
    file.state.withLockedValue { $0.suspects = ranges }
    guard let data = file.path.lastComponent?.string, data.hasSuffix(".data") else { return }
    let stem = String(data.dropLast(".data".count))
    // A cleared version has lost its name. Another version may have that name by now.
    guard openFile(stem) === file else { return }
    let name = stem + SuspectRanges.ending
    guard !ranges.isEmpty else { return (try? folder.file.remove(name)) ?? () }
    let temporary = name + ".new"
    try? folder.file.remove(temporary)
    guard let new = try? folder.file.open(temporary, for: .create) else { return }
    try? new.write(SuspectRanges.encoded(ranges), at: 0)
    try? folder.file.rename(temporary, to: name)
  }
}
