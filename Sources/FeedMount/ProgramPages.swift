import Glibc

/// The code of the program and of its libraries, as memory.
package enum ProgramPages {
  /// Gives back what was needed to start: the kernel maps whole folios of the page cache, which for a
  /// program is most of it, and they count as memory of the process. What is used comes again.
  ///
  /// Only code: what may only be read now, was written when the libraries were put in their places.
  package static func release() {
    guard let maps = fopen("/proc/self/maps", "re") else { return }
    defer { fclose(maps) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, maps) > 0, let bytes = line {
      let text = String(cString: bytes)
      // proc(5): start-end permissions offset device inode path
      let fields = text.split(separator: " ", omittingEmptySubsequences: true)
      guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else {
        continue
      }
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2, let start = UnsafeMutableRawPointer(bitPattern: ends[0]) else {
        continue
      }
      madvise(start, Int(ends[1] - ends[0]), MADV_DONTNEED)
    }
  }
}
