import Glibc

/// Makes a new folder for a test, which takes it away, below the one of this run (`TMPDIR`).
///
/// - Parameter purpose: the beginning of its name; short, because sockets lie below it.
package func makeTemporaryFolder(_ purpose: String = "test") throws -> String {
  let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var template = Array("\(base)/\(purpose)-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else {
    throw TestToolError("no folder in \(base): \(String(cString: strerror(errno)))")
  }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A folder for files that all tests of a process share, such as films that take long to make. It
/// goes when the process ends, and holds no folders.
package enum SharedFolder {
  package static let path: Result<String, any Error> = Result {
    let path = try makeTemporaryFolder("shared")
    atexit { SharedFolder.remove() }
    return path
  }

  private static func remove() {
    guard let path = try? path.get(), let listing = opendir(path) else { return }
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      unlink("\(path)/\(name)")
    }
    closedir(listing)
    rmdir(path)
  }
}
