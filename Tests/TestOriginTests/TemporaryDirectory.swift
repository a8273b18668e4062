import Glibc
import TestSupport

/// A flat directory; dropping its last reference removes it with its files.
final class TemporaryDirectory {
  let path: String
  private var names: [String] = []

  init() throws {
    path = try makeTemporaryFolder("origin")
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    guard let file = fopen("\(path)/\(name)", "w") else { throw Failure.errno(errno) }
    defer { fclose(file) }
    names.append(name)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Failure.errno(errno) }
  }

  enum Failure: Error {
    case errno(Int32)
  }
}
