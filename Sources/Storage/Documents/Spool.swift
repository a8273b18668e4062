package import SystemPackage

/// A document that is made as a whole, and read in parts later. A short document stays in memory. A
/// long one is written to a file without a name, which the kernel removes when this object ends.
///
/// If the file cannot be made, a long document stays in memory, too. Safe from any thread.
package final class Spool: Sendable {
  /// The size in bytes up to which a document stays in memory.
  private static let maxInMemory = 1 << 20

  package let count: Int
  private let bytes: [UInt8]
  private let file: (any DiskFile)?

  /// - Parameters:
  ///   - folder: the folder in which the file without a name is made.
  ///   - pieces: the number of pieces.
  ///   - piece: returns the bytes of the piece with the given number. The first number is 0.
  package init(in folder: FilePath, pieces: Int, piece: (Int) -> [UInt8]) {
    var bytes: [UInt8] = []
    var file: (any DiskFile)?
    var written = 0
    var mayWrite = true
    for number in 0..<pieces {
      bytes += piece(number)
      guard bytes.count > Self.maxInMemory, mayWrite else { continue }
      do throws(Errno) {
        if file == nil { file = try File(".", in: File(directory: folder), for: .unnamed) }
        try file?.write(bytes, at: written)
        written += bytes.count
        bytes = []
      } catch {
        mayWrite = false
      }
    }
    if written > 0, mayWrite, (try? file?.write(bytes, at: written)) != nil {
      written += bytes.count
      bytes = []
    }
    self.bytes = bytes
    self.file = file
    count = written + bytes.count
  }

  /// True if a part of the document is on the disk, so that `read` can wait for the disk.
  package var isOnDisk: Bool { count > bytes.count }

  /// Returns the bytes of `range`, cut at the end of the document.
  package func read(_ range: Range<Int>) throws(Errno) -> [UInt8] {
    let range = range.clamped(to: 0..<count)
    let written = count - bytes.count
    let onDisk = range.clamped(to: 0..<written)
    let inMemory = range.clamped(to: written..<count)
    let first = onDisk.isEmpty ? [] : try file?.read(onDisk.count, at: onDisk.lowerBound) ?? []
    return first + bytes[inMemory.lowerBound - written..<inMemory.upperBound - written]
  }
}
