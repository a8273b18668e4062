import Control
import Glibc
import TestSupport

/// A script that plays, seeks, refreshes and unmounts, and the checks that follow it.
struct InjectionTrial {
  private static let timeout = Duration.seconds(40)
  private let feed: MountedFeed
  private var written = WrittenFeed(pages: [[1, 2].map { Self.item($0) }])

  init() throws {
    feed = try MountedFeed()
    try written.serve(by: feed)
  }

  var folder: String { feed.folder }

  /// Plays the script with `injection`, then checks a mount without it.
  func run(_ injection: Injection) throws {
    try play(by: injection.tracer, isHarmless: injection.isHarmless)
    try compareAfterwards()
  }

  /// - Parameters:
  ///   - tracer: the command that runs the daemon.
  ///   - isHarmless: whether readers of listed files must get all bytes.
  func play(by tracer: [String], isHarmless: Bool = true) throws {
    do {
      try feed.mount(written.path, options: ["--read-timeout", "5"], by: tracer)
    } catch {
      // The mount may fail, but the daemon must end.
      guard try feed.process.wait(timeout: Self.timeout) != nil else { throw error }
      return try grow()
    }
    // Entries are listed when the catalog is saved.
    let isServed = try isHarmless && feed.names().contains(feed.name(1))
    try read(1, 0..<100_000, isServed: isServed)
    try read(1, 300_000..<364_000, isServed: isServed)
    try read(1, 0..<Self.item(1).size, isServed: isServed)
    try grow()
    _ = try feed.feedfs("feed", "refresh", feed.mountPoint)
    try read(3, 0..<Self.item(3).size)
    try read(2, 0..<10_000)
    _ = try feed.feedfs("unmount", feed.mountPoint)
    guard try feed.process.wait(timeout: .seconds(5)) == nil else { return }
    _ = try feed.feedfs("unmount", "--force", feed.mountPoint)
    guard try feed.process.wait(timeout: Self.timeout) != nil else {
      let process = try feed.process
      throw TestToolError("it does not end: \(process.errors.text)\(whereabouts(of: process.pid))")
    }
  }

  /// Adds a third entry at the end of the feed: the numbers are the same if it is seen at once.
  private func grow() throws {
    var grown = written
    grown.pages[0].append(Self.item(3))
    try grown.serve(by: feed)
  }

  /// Checks that each name has the bytes of its entry, and that the cache is in order afterwards.
  private func compareAfterwards() throws {
    try feed.kill()
    try feed.mount(written.path)
    let refreshed = try feed.feedfs("feed", "refresh", feed.mountPoint)
    guard refreshed.status == 0, try feed.entries() == [1, 2, 3] else {
      throw TestToolError("listed: \(try feed.entries()) \(refreshed.err)")
    }
    for number in 1...3 {
      let bytes = try feed.bytes(of: feed.path(number))
      let item = Self.item(number)
      guard bytes == Pattern.bytes(0..<item.size, seed: item.file.seed) else {
        throw TestToolError("wrong bytes afterwards: \(number)")
      }
    }
    try feed.unmount()
    guard try feed.cleanMarks().allSatisfy({ $0 == 1 }) else {
      throw TestToolError("not in order after a clean stop")
    }
  }

  /// Reads right bytes; unless `isServed`, some of them and an error will do.
  private func read(_ number: Int, _ range: Range<Int>, isServed: Bool = false) throws {
    let reader = try feed.reader(
      of: feed.path(number), at: range.lowerBound, count: range.count)
    guard let status = reader.wait(timeout: Self.timeout) else {
      throw TestToolError("a read of \(range) of \(number) never ends")
    }
    let bytes = reader.output.bytes
    let truth = Pattern.bytes(range, seed: Self.item(number).file.seed)
    guard bytes.elementsEqual(truth.prefix(bytes.count)), status != 0 || bytes.count == range.count
    else { throw TestToolError("wrong bytes in \(range) of \(number)") }
    guard status == 0 || !isServed else {
      throw TestToolError("\(range) of \(number) is not served: \(reader.errors.text)")
    }
  }

  private static func item(_ number: Int) -> WrittenFeed.Item {
    var item = WrittenFeed.Item(number)
    item.size = 600_000 + number
    return item
  }
}
