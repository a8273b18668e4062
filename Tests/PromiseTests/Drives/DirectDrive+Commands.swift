import FeedReading
import Blocks
import Control
import Catalog
import FeedReading
import Glibc
import SystemPackage
import TestSupport

@testable import FeedMount

/// Commands, as requests of the control socket.
extension DirectDrive {
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
    let answer = try Awaited.by("a command") {
      let caches = try await UnmountedCaches(in: self.directories, besides: [], waits: true)
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

  /// Asks twice a second, as the command does: a request may have a failed file asked for again.
  func fetch(_ names: [String]) throws {
    for _ in 0..<60 {
      let progress = try ask(cache: .fetch(names), as: FetchProgress.self)
      if let hopeless = progress.files.first(where: { $0.isHopeless == true }) {
        throw CommandRefusal(description: hopeless.reason ?? "")
      }
      if progress.files.allSatisfy(\.isComplete) { return }
      poll(nil, 0, 500)  // ms
    }
    throw TestToolError("\(names) are not fetched")
  }
}
