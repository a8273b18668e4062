import SystemPackage

/// Locks the feed's folder, and names the process that has the lock.
extension CacheDirectory {
  static func lock(_ folder: Folder) throws(StorageError) {
    do throws(Errno) {
      guard try folder.file.lock() else { throw Errno.wouldBlock }
    } catch .wouldBlock {
      throw .inUse(folder.path, holder: holder(of: folder))
    } catch {
      throw StorageError(error, at: folder.path)
    }
  }

  private static func holder(of folder: Folder) -> Int? {
    guard let file = try? folder.file.open("pid", for: .read),
      let bytes = try? file.read(20, at: 0)
    else { return nil }
    return Int(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
  }

  /// Writes the process id. A failure is ignored, because the id only makes a message better.
  func noteHolder() {
    try? folder.file.remove("pid")
    guard let file = try? folder.file.open("pid", for: .create) else { return }
    try? file.write(Array("\(processID)\n".utf8), at: 0)
  }

  /// Writes the file by which backup programs know a cache. If this fails, backups include the
  /// cache.
  static func tag(_ root: Folder) {
    guard let file = try? root.file.open("CACHEDIR.TAG", for: .create) else { return }
    // The signature is fixed by the Cache Directory Tagging Specification.
    let text = "Signature: 8a477f597d28d172789f06886806bc55\n# This is the cache of feedfs.\n"
    try? file.write(Array(text.utf8), at: 0)
  }
}
