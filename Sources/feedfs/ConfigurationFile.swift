import FeedMount
import FoundationEssentials
import Glibc
import Settings
import SystemPackage

/// `config.toml`, as its user has it.
struct ConfigurationFile {
  let path: FilePath

  /// That of this user.
  static var own: ConfigurationFile {
    ConfigurationFile(path: Directories.configuration.appending("config.toml"))
  }

  /// What it says; nothing where it is not there.
  func settings() throws(MountError) -> Settings {
    try settings(in: text())
  }

  /// Changes its text, one process at a time; nothing is written where `change` returns false.
  ///
  /// A crash leaves the file as it was or as it is to be. One that is a link stays one.
  func edit(_ change: (inout SettingsText, Settings) throws(MountError) -> Bool) throws(MountError)
  {
    let lock = try locked()
    defer { try? lock.close() }
    let before = try text()
    var text = SettingsText(before)
    guard try change(&text, settings(in: before)) else { return }
    // What cannot be read again is not written.
    _ = try settings(in: text.text)
    try write(text.text)
  }

  // MARK: Private

  private func settings(in text: String) throws(MountError) -> Settings {
    do throws(SettingsError) {
      return try Settings(toml: text)
    } catch {
      throw MountError(.configuration, "\(path): \(error)")
    }
  }

  private func text() throws(MountError) -> String {
    let bytes: [UInt8]
    do {
      let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
      bytes = try file.closeAfter { try file.readAll(atMost: Settings.largestFile + 1) }
    } catch Errno.noSuchFileOrDirectory {
      return ""
    } catch {
      throw MountError(.configuration, "\(path) cannot be read: \(error)")
    }
    guard bytes.count <= Settings.largestFile else {
      throw MountError(.configuration, "\(path) is too long to be a configuration file")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw MountError(.configuration, "\(path) is not written in UTF-8; save it so")
    }
    return text
  }

  private func locked() throws(MountError) -> FileDescriptor {
    let folder = path.removingLastComponent()
    do {
      try FileManager.default.createDirectory(
        atPath: folder.string, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      let lock = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
      // Held as long as an edit takes.
      while flock(lock.rawValue, LOCK_EX) != 0, errno == EINTR {}
      return lock
    } catch {
      throw MountError(.cannotCreate, "\(folder) cannot be used: \(error)")
    }
  }

  private func write(_ text: String) throws(MountError) {
    let target = FilePath(resolved)
    let temporary = FilePath("\(target).\(getpid()).new")
    do {
      let mode =
        (try? FileManager.default.attributesOfItem(atPath: target.string))?[
          .posixPermissions] as? Int
      let file = try FileDescriptor.open(
        temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
        permissions: FilePermissions(rawValue: CModeT(mode ?? 0o600)))
      try file.closeAfter {
        try file.writeAll(Array(text.utf8))
        guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
      }
      guard rename(temporary.string, target.string) == 0 else { throw Errno(rawValue: errno) }
    } catch {
      unlink(temporary.string)
      throw MountError(.cannotCreate, "\(path) cannot be written: \(error)")
    }
  }

  /// Where a link leads.
  private var resolved: String {
    guard let real = realpath(path.string, nil) else { return path.string }
    defer { free(real) }
    return String(cString: real)
  }
}
