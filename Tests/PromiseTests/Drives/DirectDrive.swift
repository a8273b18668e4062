import ArgumentParser
import Blocks
import Control
import Catalog
import FeedReading
import FoundationEssentials
import Fuse
import Glibc
import Host
import Settings
import Synchronization
import SystemPackage
import TestSupport

@testable import CommandTools
@testable import FeedMount

/// The parts of a mount in this process, with the real HTTP client and a cache on disk, in front
/// of an origin in this process.
///
/// There is no mount of the kernel: a process that reads its own can hang for ever.
final class DirectDrive: Drive {
  struct Served {
    let context: MountContext
    let kernel: DirectKernel
    let log: CollectedLog
  }

  let folder: String
  let origin: OriginProcess
  private let served = Mutex<Served?>(nil)
  private let lastLog = Mutex<CollectedLog?>(nil)
  /// Bytes of the longest body without length that the next mount reads.
  let maxGrowth = Mutex(MountSettings().maxGrowth)

  var mountPoint: String { folder + "/mount" }
  var cacheDirectory: String { folder + "/cache" }

  init(originOptions: [String] = []) throws {
    folder = try makeTemporaryFolder()
    for name in ["media", "state", "cache"] { mkdir(folder + "/" + name, 0o700) }
    origin = try DirectOrigin.start(root: folder + "/media", options: originOptions)
  }

  deinit {
    served.withLock { $0?.context.end() }
    origin.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  // MARK: The mount

  func mount(_ feed: String, options: [String]) throws {
    let options = try mountOptions(of: feed.hasPrefix("/") ? origin.url(feed) : feed, options)
    let log = CollectedLog()
    let context = try Awaited.by("the mount") { [logger = log.logger] in
      try await MountContext.make(options, log: logger)
    }
    let kernel = DirectKernel(context.fileSystem)
    context.begin(kernel, device: nil)
    served.withLock { $0 = Served(context: context, kernel: kernel, log: log) }
    lastLog.withLock { $0 = log }
  }

  func unmount() throws {
    let context = try serving.context
    served.withLock { $0 = nil }
    context.end()
  }

  var log: String {
    get throws { lastLog.withLock { $0 }?.text ?? "" }
  }

  var isServed: Bool {
    served.withLock { $0 != nil }
  }

  var usedSpace: Int {
    get throws {
      try FileManager.default.subpathsOfDirectory(atPath: cacheDirectory).reduce(0) { sum, file in
        var status = stat()
        let isThere = lstat("\(cacheDirectory)/\(file)", &status) == 0
        // Files that vanish meanwhile are no error here.
        return isThere ? sum + 512 * Int(status.st_blocks) : sum
      }
    }
  }

  /// The parts of the current mount.
  var serving: Served {
    get throws {
      guard let served = served.withLock({ $0 }) else { throw TestToolError("nothing is mounted") }
      return served
    }
  }

  /// Returns the options of `feedfs mount` with these words.
  private func mountOptions(of feed: String, _ words: [String]) throws -> MountOptions {
    var feeds = [feed]
    var others: [String] = []
    var words = words[...]
    while let word = words.popFirst() {
      if word == "--feed", let value = words.popFirst() {
        feeds.append(value)
      } else {
        others.append(word)
      }
    }
    let line = try MountArguments.parse(Claim.options + others)
    let settings = try configuration()
    let choices = feeds.map { FeedChoice(Subscription(url: $0), line, over: settings) }
    for choice in choices { try choice.check() }
    var mounted = try MountSettings(line, over: settings)
    mounted.maxGrowth = maxGrowth.withLock { $0 }
    return MountOptions(
      feeds: choices, mountPoint: FilePath(mountPoint), directories: directories,
      settings: mounted)
  }

  /// The settings that the test has written where the built program looks for them.
  private func configuration() throws -> Settings {
    let path = folder + "/.config/feedfs/config.toml"
    guard FileManager.default.fileExists(atPath: path) else { return Settings() }
    return try Settings(toml: String(contentsOfFile: path, encoding: .utf8))
  }

  var directories: MountDirectories {
    MountDirectories(cache: FilePath(cacheDirectory), state: FilePath(folder + "/state"))
  }

  // MARK: The tree

  /// Calls `body` with the node at `path`, and the kernel's part.
  private func with<Value>(
    _ path: String, followsLink: Bool = true, _ body: (NodeID, DirectKernel) throws -> Value
  ) throws -> Value {
    guard path.hasPrefix(mountPoint) else { throw TestToolError("\(path) is not in the mount") }
    let kernel = try serving.kernel
    return try kernel.with(
      String(path.dropFirst(mountPoint.utf8.count)), followsLink: followsLink
    ) { try body($0, kernel) }
  }

  func names(in folder: String) throws -> [String] {
    try openFolder(mountPoint + "/" + folder).next(.max).filter { !$0.hasPrefix(".") }
  }

  /// Lists a folder, and asks for at most `most` names at once.
  func names(in folder: String, atOnce most: Int) throws -> [String] {
    try with(mountPoint + "/" + folder) { try DirectFolder($0, of: $1, most: most).next(.max) }
  }

  func openFolder(_ path: String) throws -> any OpenedFolder {
    try with(path) { DirectFolder($0, of: $1) }
  }

  func look(at path: String) throws -> FileFacts {
    try with(path, followsLink: false) { try $1.facts(of: $0) }
  }

  func target(ofLink path: String) throws -> String {
    try with(path, followsLink: false) { node, kernel in
      try failing { () throws(Errno) in try kernel.fileSystem.target(of: node) }
    }
  }

  func attribute(_ name: String, of path: String) throws -> String {
    try with(path) { node, kernel in
      try failing { () throws(Errno) in try kernel.fileSystem.attribute(name, of: node) }
    }
  }

  func open(_ path: String) throws -> any OpenedFile {
    try file(path)
  }

  private func file(_ path: String) throws -> DirectFile {
    try with(path) { try DirectFile($0, of: $1) }
  }

  func bytes(of path: String) throws -> [UInt8] {
    try open(path).readAll()
  }

  /// Reads on a thread of its own: the open may wait, too.
  func reading(of path: String, at offset: Int, count: Int) throws -> Reading {
    let awaited = Awaited<[UInt8]>()
    let began = ContinuousClock.now
    try startThread { [self] in
      awaited.give(
        Result {
          let file = try file(path)
          var all: [UInt8] = []
          while all.count < count {
            let start = offset + all.count
            let piece = start..<min(start + DirectKernel.maxBytes, offset + count)
            let bytes = try file.piece(piece).get("a read of \(path)", within: .seconds(100))
            all += bytes
            if bytes.isEmpty { break }
          }
          return all
        })
    }
    return Reading(
      isWaiting: { !awaited.isGiven && began.duration(to: .now) > .milliseconds(100) },
      end: { limit in
        switch awaited.result(within: limit) {
        case nil: nil
        case .success(let bytes): .bytes(bytes)
        case .failure(let error): .failed((error as? ReadFailure)?.errno ?? ENOMSG)
        }
      })
  }
}
