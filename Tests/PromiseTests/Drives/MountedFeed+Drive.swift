import Blocks
import CLinux
import Control
import Glibc
import TestSupport

/// The built binary as a drive: other programs read, and commands are those of users.
extension MountedFeed: Drive {
  func mount(_ feed: String, options: [String]) throws {
    try mount(feed, options: options, by: [])
  }

  var log: String {
    get throws { try process.errors.text }
  }

  var isServed: Bool {
    get throws { try process.isRunning }
  }

  // MARK: The tree

  func openFolder(_ path: String) throws -> any OpenedFolder {
    try KernelFolder(path)
  }

  func look(at path: String) throws -> FileFacts {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw ReadFailure(errno: errno) }
    return FileFacts(status)
  }

  func target(ofLink path: String) throws -> String {
    let target = PromiseTests.link(path)
    guard !target.isEmpty else { throw TestToolError("\(path) is no link") }
    return target
  }

  func attribute(_ name: String, of path: String) throws -> String {
    var value = [UInt8](repeating: 0, count: 4096)
    let count = getxattr(path, name, &value, value.count)
    guard count >= 0 else { throw ReadFailure(errno: errno) }
    return String(decoding: value.prefix(count), as: UTF8.self)
  }

  func open(_ path: String) throws -> any OpenedFile {
    try MountedFile(path)
  }

  func reading(of path: String, at offset: Int, count: Int) throws -> Reading {
    let child = try reader(of: path, at: offset, count: count)
    return Reading(isWaiting: { isReading(child, path) }) { limit in
      child.wait(timeout: limit).map { status in
        status == 0 ? .bytes(child.output.bytes) : .failed(Self.failure(in: child.errors.text))
      }
    }
  }

  /// Returns the number of the error that a program reports.
  private static func failure(in text: String) -> Int32 {
    [EIO, ESTALE, ENETDOWN, ENOENT, EINTR].first { text.contains(String(cString: strerror($0))) }
      ?? ENOMSG
  }

  // MARK: Commands

  /// Runs a command that prints a message as JSON.
  private func ask<Message: Decodable>(
    _ words: [String], as type: Message.Type
  ) throws -> Message {
    let outcome = try feedfs(words + ["--json"])
    guard outcome.status == 0 else { throw CommandRefusal(description: outcome.err) }
    return try Wire.decode(type, from: Array(outcome.out.utf8))
  }

  func details(of path: String) throws -> FileDetails {
    try ask(["status", path], as: FileDetails.self)
  }

  /// Reads the outcome of a refresh that failed, too.
  func refresh() throws -> RefreshOutcome {
    let outcome = try feedfs("feed", "refresh", mountPoint, "--json")
    let message = try Wire.decode(RefreshOutcome.self, from: Array(outcome.out.utf8))
    guard outcome.status == (message.errors.isEmpty ? 0 : 75),
      message.errors.first.map({ outcome.err.contains($0) }) ?? true
    else { throw TestToolError("\(outcome)") }
    return message
  }

  func turn(_ mode: NetworkMode) throws {
    let command =
      switch mode {
      case .online: "online"
      case .paused: "pause"
      case .offline: "offline"
      }
    let outcome = try feedfs(command, mountPoint)
    guard outcome.status == 0, outcome.out.contains(mode.rawValue) else {
      throw TestToolError("\(outcome)")
    }
  }

  func change(_ change: CacheChange) throws -> CacheOutcome {
    let words =
      switch change {
      case .clear(let names): ["clear"] + names
      case .pin(let names): ["pin"] + names
      case .unpin(let names): ["unpin"] + names
      }
    return try ask(["cache"] + words + ["--cache-dir", cacheDirectory], as: CacheOutcome.self)
  }

  private struct Verified: Decodable {
    struct WrongFile: Decodable {
      let name: String
      let blocks: Int
    }

    let wrong: [WrongFile]
  }

  func verify(_ names: [String]) throws -> [String: Int] {
    let words = ["cache", "verify"] + names + ["--cache-dir", cacheDirectory]
    let pairs = try ask(words, as: Verified.self).wrong.map { ($0.name, $0.blocks) }
    return Dictionary(pairs) { first, _ in first }
  }

  func fetch(_ names: [String]) throws {
    let outcome = try cache(["fetch"] + names)
    switch outcome.status {
    case 0: return
    case 69: throw CommandRefusal(description: outcome.err)
    default: throw TestToolError("\(outcome)")
    }
  }
}

extension FileFacts {
  init(_ status: stat) {
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    isFolder = status.st_mode & S_IFMT == S_IFDIR
  }
}

extension MountedFile: OpenedFile {
  func facts() throws -> FileFacts {
    FileFacts(try status())
  }
}

/// A directory that is read in pieces.
private final class KernelFolder: OpenedFolder {
  private let stream: OpaquePointer

  init(_ path: String) throws {
    guard let stream = opendir(path) else { throw ReadFailure(errno: errno) }
    self.stream = stream
  }

  deinit {
    closedir(stream)
  }

  func next(_ count: Int) throws -> [String] {
    var names: [String] = []
    errno = 0
    while names.count < count, let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw ReadFailure(errno: errno) }
    return names
  }
}
