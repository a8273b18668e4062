import Blocks
import Control
import Catalog
import FeedReading
import FoundationEssentials
import Fuse
import Glibc
import Synchronization
import SystemPackage
import TestSupport

@testable import FeedMount

/// The parts of a mount in this process, with the real HTTP client and a cache on disk, in front
/// of an origin in this process.
///
/// There is no mount of the kernel: a process that reads its own can hang for ever.
final class DirectDrive: Drive {
  private struct Served {
    let context: MountContext
    let kernel: DirectKernel
    let log: CollectedLog
  }

  let folder: String
  let origin: OriginProcess
  private let served = Mutex<Served?>(nil)
  private let lastLog = Mutex<CollectedLog?>(nil)

  var mountPoint: String { folder + "/mount" }
  var cacheDirectory: String { folder + "/cache" }

  init(originOptions: [String] = []) throws {
    folder = try MountedFeed.makeFolder()
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

  private var serving: Served {
    get throws {
      guard let served = served.withLock({ $0 }) else { throw TestToolError("nothing is mounted") }
      return served
    }
  }

  /// Returns the options of `feedfs mount` with these words.
  private func mountOptions(of feed: String, _ words: [String]) throws -> MountOptions {
    var all = MountOptions(
      feeds: [FeedChoice(feed)], mountPoint: FilePath(mountPoint),
      cacheDirectory: FilePath(cacheDirectory), stateDirectory: FilePath(folder + "/state"))
    var words = words[...]
    var change: [(inout FeedChoice) -> Void] = []
    while let word = words.popFirst() {
      guard word != "--no-passthrough" else { continue }
      guard let value = words.popFirst() else { throw TestToolError("\(word) has no value") }
      switch word {
      case "--feed": all.feeds.append(FeedChoice(value))
      case "--allow-private": all.allowedPrivate.append(value)
      case "--cache-size": all.cacheSize = value
      case "--min-free": all.minFree = value
      case "--pages": change.append { $0.pages = Int(value) ?? .max }
      case "--read-timeout": all.readTimeout = Double(value) ?? 0
      case "--refresh": change.append { $0.refreshInterval = Double(value) ?? 0 }
      case "--sidecars":
        let kinds = value.split(separator: ",").compactMap { Sidecar.Kind(rawValue: String($0)) }
        change.append { $0.sidecars = Set(kinds) }
      default: throw TestToolError("the direct drive does not know \(word)")
      }
    }
    for change in change {
      for index in all.feeds.indices { change(&all.feeds[index]) }
    }
    try all.check()
    return all
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
            let piece = start..<min(start + DirectKernel.mostBytes, offset + count)
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

  // MARK: Commands

  /// Asks as a command does over the control socket.
  private func ask<Message: Decodable>(
    _ request: ControlRequest, as type: Message.Type
  ) throws -> Message {
    let context = try serving.context
    let answer = try Awaited.by("a command") { await context.answer(request) }
    return try Self.message(of: answer, as: type)
  }

  /// Asks the mount, or the caches without one, as `feedfs cache` does.
  private func ask<Message: Decodable>(
    cache request: CacheRequest, as type: Message.Type
  ) throws -> Message {
    guard !isServed else { return try ask(.cache(request), as: type) }
    let (cache, state) = (FilePath(cacheDirectory), FilePath(folder + "/state"))
    let answer = try Awaited.by("a command") {
      let caches = try await UnmountedCaches(
        in: cache, stateDirectory: state, besides: [], waits: true)
      defer { caches.end() }
      return await caches.answer(request)
    }
    return try Self.message(of: answer, as: type)
  }

  private static func message<Message: Decodable>(
    of answer: ControlAnswer, as type: Message.Type
  ) throws -> Message {
    guard answer.status == 200 else {
      throw CommandRefusal(
        description: try Wire.decode(ControlAnswer.Refusal.self, from: answer.body.joined).error)
    }
    return try Wire.decode(type, from: answer.body.joined)
  }

  func status() throws -> MountStatus {
    try ask(.status, as: MountStatus.self)
  }

  func details(of path: String) throws -> FileDetails {
    try ask(
      .file(name: String(path.dropFirst(mountPoint.utf8.count + 1))), as: FileDetails.self)
  }

  func refresh() throws -> RefreshOutcome {
    try ask(.refresh(feed: nil), as: RefreshOutcome.self)
  }

  func turn(_ mode: NetworkMode) throws {
    let outcome = try ask(.turn(mode), as: SteeringOutcome.self)
    guard outcome.mode == mode else { throw TestToolError("it is \(outcome.mode)") }
  }

  func kept() throws -> [String: CacheItem] {
    let pairs = try ask(cache: .list, as: CacheListing.self).files.map { (short($0.name), $0) }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Returns names in the mount from those in the cache: without a mount, each has its feed's
  /// folder before it.
  private func short(_ name: String) -> String {
    isServed ? name : name.split(separator: "/").last.map(String.init) ?? name
  }

  private func full(_ names: [String]) throws -> [String] {
    guard !isServed, !names.isEmpty else { return names }
    let known = try ask(cache: .list, as: CacheListing.self).files.first?.name ?? ""
    return names.map { known.prefix { $0 != "/" } + "/" + $0 }
  }

  func change(_ change: CacheChange) throws -> CacheOutcome {
    let request: CacheRequest =
      switch change {
      case .clear(let names): .clear(try full(names))
      case .pin(let names): .pin(try full(names))
      case .unpin(let names): .unpin(try full(names))
      }
    return try ask(cache: request, as: CacheOutcome.self)
  }

  func verify(_ names: [String]) throws -> [String: Int] {
    var wrong: [String: Int] = [:]
    for name in try names.isEmpty ? Array(kept().keys) : names {
      let own = try full([name])[0]
      var next: String?
      repeat {
        let outcome = try ask(cache: .verify(own, from: next), as: CheckOutcome.self)
        if outcome.wrong > 0 { wrong[name, default: 0] += outcome.wrong }
        next = outcome.next
      } while next != nil
    }
    return wrong
  }

  func fetch(_ names: [String]) throws {
    let isFetched = try eventually(within: .seconds(30)) {
      let progress = try ask(cache: .fetch(names), as: FetchProgress.self)
      if let hopeless = progress.files.first(where: { $0.isHopeless == true }) {
        throw CommandRefusal(description: hopeless.reason ?? "")
      }
      return progress.files.allSatisfy(\.isComplete)
    }
    guard isFetched else { throw TestToolError("\(names) are not fetched") }
  }
}
