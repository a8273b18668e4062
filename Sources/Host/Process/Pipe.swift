import CLinux
import Glibc
package import SystemPackage

/// A pipe. A program that this process starts inherits an end only if the end is passed to it.
package struct Pipe: Sendable {
  package let readEnd: FileDescriptor
  package let writeEnd: FileDescriptor

  package init() throws(Errno) {
    var ends: [Int32] = [0, 0]
    guard feedfs_pipe2(&ends, O_CLOEXEC) == 0 else { throw Errno(rawValue: Glibc.errno) }
    readEnd = FileDescriptor(rawValue: ends[0])
    writeEnd = FileDescriptor(rawValue: ends[1])
  }
}

extension FileDescriptor {
  /// Reads at most 64 KiB. Returns no bytes at the end of the file. Blocks.
  package func readPiece() throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      count = try read(into: .init(buffer))
    }
  }

  /// Reads all bytes up to the end. Stops early once it has read `limit` bytes or a little more.
  package func readAll(atMost limit: Int = .max) throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let piece = try readPiece()
      if piece.isEmpty || all.count >= limit { return all }
      all += piece
    }
  }
}
