package import Blocks
import NIOConcurrencyHelpers
import SystemPackage

/// What is suspect of the versions that are kept.
extension CacheDirectory {
  /// The suspect bytes of the version called `name`; blocks on the disk.
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

  /// From now on these are suspect of `file`, and no others; also after a kill.
  package func suspect(_ ranges: [ByteRange], of file: EntryFile) {
    file.state.withLockedValue { $0.suspects = ranges }
    guard let data = file.path.lastComponent?.string, data.hasSuffix(".data") else { return }
    let stem = String(data.dropLast(".data".count))
    // One that was cleared has no name, and another may have it.
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
