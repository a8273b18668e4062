import FeedMount
import FoundationEssentials
import Glibc
package import Host
package import Settings
package import SystemPackage

/// The configuration file, `config.toml`.
package struct ConfigurationFile {
  package let path: FilePath

  /// This user's configuration file.
  package static var own: ConfigurationFile {
    get throws(CommandError) {
      ConfigurationFile(path: try Directories.configuration.appending("config.toml"))
    }
  }

  package init(path: FilePath) {
    self.path = path
  }

  /// True if there is anything at `path`.
  package var isThere: Bool {
    var status = stat()
    return stat(path.string, &status) == 0
  }

  /// The settings in this user's file. If there is no file, or if no directory for it is known,
  /// these are the defaults.
  package static var ownSettings: Settings {
    get throws(CommandError) {
      guard let file = try? own else { return Settings() }
      return try file.settings()
    }
  }

  /// Returns the settings in the file, or the defaults if there is no file.
  package func settings() throws(CommandError) -> Settings {
    let (text, isOpen) = try self.content()
    let settings = try understood { () throws(SettingsError) in try Settings(toml: text) }
    guard !isOpen || settings.feeds.allSatisfy(\.headers.isEmpty) else {
      throw CommandError(
        .permission,
        "\(path) has headers, which may be secret, and others may read it; `chmod 600 \(path)`")
    }
    return settings
  }

  /// Returns the settings in the file as `settings` does, but also checks each feed and each
  /// setting of the network.
  ///
  /// - Throws: an error that names the line of the mistake.
  package func checkedSettings() throws(CommandError) -> Settings {
    let settings = try settings()
    let text = try content().text
    for (number, feed) in settings.feeds.enumerated() {
      var open = feed
      open.headers = [:]
      for (key, feed) in [("url", open), ("headers", feed)] {
        try naming(SettingsText.line(of: key, inFeed: number, of: text), key) {
          () throws(CommandError) in try FeedChoice(feed, nil, over: settings).check()
        }
      }
    }
    for (key, part) in Self.networkParts(of: settings) {
      try naming(SettingsText.line(of: key, of: text), key) { () throws(CommandError) in
        _ = try NetworkOptions(nil, over: part, [:])
      }
    }
    return settings
  }

  /// Returns, for each key about the network, settings that have only this key. So if a check of
  /// these settings fails, the mistake is in this key.
  private static func networkParts(of settings: Settings) -> [(key: String, part: Settings)] {
    var parts = ["allow-private", "proxy", "cacert", "pins"].map { (key: $0, part: Settings()) }
    parts[0].part.allowedPrivate = settings.allowedPrivate
    parts[1].part.proxy = settings.proxy
    parts[2].part.authorities = settings.authorities
    parts[3].part.pins = settings.pins
    return parts
  }

  /// Calls `body`. If `body` throws, throws its error with the file, the line and the key in front
  /// of it.
  private func naming(
    _ line: Int?, _ key: String, _ body: () throws(CommandError) -> Void
  ) throws(CommandError) {
    do throws(CommandError) {
      try body()
    } catch {
      let place = line.map { "line \($0): " } ?? ""
      throw CommandError(.configuration, "\(path): \(place)\(key): \(error)")
    }
  }

  /// Changes the text of the file by `change`. Only one process at a time can do this. Writes
  /// nothing if `change` leaves the text unchanged.
  ///
  /// A crash leaves either the old file or the new one. A symbolic link stays a link.
  package func edit<Outcome>(
    _ change: (inout SettingsText) throws(SettingsError) -> Outcome
  ) throws(CommandError) -> Outcome {
    let lock = try locked()
    defer { try? lock.close() }
    let before = try content().text
    var after = before
    let outcome = try understood { () throws(SettingsError) in
      var text = try SettingsText(before)
      let outcome = try change(&text)
      after = text.text
      return outcome
    }
    guard after.utf8.count <= Settings.maxFileBytes else {
      throw CommandError(
        .cannotCreate,
        "\(path) would become too long, so nothing was changed; remove some subscriptions")
    }
    if after != before { try write(after) }
    return outcome
  }

  // MARK: Private

  private func understood<Outcome>(
    _ reading: () throws(SettingsError) -> Outcome
  ) throws(CommandError) -> Outcome {
    do throws(SettingsError) {
      return try reading()
    } catch {
      throw CommandError(.configuration, "\(path): \(error)")
    }
  }

  /// Returns the text of the file, and whether its mode gives other users any access. If there is
  /// no file, the text is empty.
  private func content() throws(CommandError) -> (text: String, isOpen: Bool) {
    let bytes: [UInt8]
    var status = stat()
    do {
      let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
      bytes = try file.closeAfter {
        // Only a regular file is accepted. A device or a pipe could block, and must not be
        // replaced.
        status = try Self.status(of: file)
        guard status.st_mode & S_IFMT == S_IFREG else {
          throw CommandError(.configuration, "\(path) is not a regular file; replace it by one")
        }
        try checkOwner(status)
        return try file.readAll(atMost: Settings.maxFileBytes + 1)
      }
    } catch Errno.noSuchFileOrDirectory {
      return ("", false)
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.configuration, "\(path) cannot be read: \(error)")
    }
    guard bytes.count <= Settings.maxFileBytes else {
      throw CommandError(.configuration, "\(path) is too long for a configuration file; shorten it")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(.configuration, "\(path) is not in UTF-8; save it in UTF-8")
    }
    return (text, status.st_mode & 0o077 != 0)
  }

  /// Throws if another user can write the file, because the file can make feedfs run any program as
  /// resolver. The file is allowed to be writable for the group of this process.
  private func checkOwner(_ status: stat) throws(CommandError) {
    guard [0, geteuid()].contains(status.st_uid) else {
      throw CommandError(
        .permission, "\(path) belongs to user \(status.st_uid); replace it by a file of your own")
    }
    let others: mode_t = status.st_gid == getegid() ? 0o002 : 0o022
    guard status.st_mode & others == 0 else {
      throw CommandError(.permission, "others may write \(path); `chmod go-w \(path)`")
    }
  }

  private func locked() throws(CommandError) -> FileDescriptor {
    let folder = path.removingLastComponent()
    do {
      try FileManager.default.createDirectory(
        atPath: folder.string, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      let lock = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
      // This can wait for another process, but only for the time of one edit.
      while flock(lock.rawValue, LOCK_EX) != 0, errno == EINTR {}
      return lock
    } catch {
      throw CommandError(.cannotCreate, "\(folder) cannot be used: \(error)")
    }
  }

  private func write(_ text: String) throws(CommandError) {
    do {
      let target = try self.target
      let temporary = target.removingLastComponent().appending(".config.toml.feedfs-new")
      // An edit whose process was killed can have left this file. This process has the lock, so no
      // other edit is using the file.
      unlink(temporary.string)
      let file = try FileDescriptor.open(
        temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
        permissions: [.ownerReadWrite])
      do {
        try file.closeAfter {
          try Self.keepOwner(of: target, for: file)
          try file.writeAll(Array(text.utf8))
          guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
        guard rename(temporary.string, target.string) == 0 else { throw Errno(rawValue: errno) }
      } catch {
        unlink(temporary.string)
        throw error
      }
    } catch {
      throw CommandError(.cannotCreate, "\(path) cannot be written: \(error)")
    }
  }

  /// Gives `file` the owner and mode of `target`, if `target` exists.
  private static func keepOwner(of target: FilePath, for file: FileDescriptor) throws {
    var status = stat()
    guard stat(target.string, &status) == 0 else { return }
    // A failure of `fchown` is ignored: only root can change the owner, and it does no harm if this
    // user is not in the group.
    _ = fchown(file.rawValue, status.st_uid, status.st_gid)
    guard fchmod(file.rawValue, status.st_mode & 0o777) == 0 else { throw Errno(rawValue: errno) }
  }

  private static func status(of file: FileDescriptor) throws -> stat {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
    return status
  }

  /// The path of the file that is written: the target if `path` is a symbolic link, otherwise
  /// `path`. Throws if the target of a link is missing.
  private var target: FilePath {
    get throws {
      guard let real = realpath(path.string, nil) else {
        var status = stat()
        guard lstat(path.string, &status) != 0 else { throw Errno.noSuchFileOrDirectory }
        return path
      }
      defer { free(real) }
      return FilePath(String(cString: real))
    }
  }
}
