import Glibc

/// A way in which a program reads an open file.
enum WayOfReading: CaseIterable, Sendable {
  case smallPieces, mapping, sendfile, afterAdvice

  /// Reads all `size` bytes; fewer if a call fails.
  func read(_ file: Int32, _ size: Int) -> [UInt8] {
    switch self {
    case .smallPieces: return Self.pieces(of: file, size)
    case .mapping:
      guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), start != MAP_FAILED else {
        return []
      }
      defer { munmap(start, size) }
      return Array(UnsafeRawBufferPointer(start: start, count: size))
    case .sendfile:
      guard let copy = tmpfile() else { return [] }
      defer { fclose(copy) }
      while Glibc.sendfile(fileno(copy), file, nil, size) > 0 {}
      return Self.pieces(of: fileno(copy), size)
    case .afterAdvice:
      for advice in [POSIX_FADV_RANDOM, POSIX_FADV_WILLNEED, POSIX_FADV_SEQUENTIAL] {
        posix_fadvise(file, 0, off_t(size), advice)
      }
      return Self.pieces(of: file, size)
    }
  }

  private static func pieces(of file: Int32, _ size: Int) -> [UInt8] {
    var all = [UInt8](repeating: 0, count: size)
    var done = 0
    while done < size {
      let count = all[done...].withUnsafeMutableBytes {
        pread(file, $0.baseAddress, min(4_999, $0.count), off_t(done))
      }
      guard count > 0 else { return Array(all[..<done]) }
      done += count
    }
    return all
  }
}
