import Control
import Glibc
import TestSupport

/// A mount that is killed over and over, each time in the midst of another deed.
struct KilledLife {
  /// The deed during which the mount is killed.
  enum Deed: CaseIterable {
    case playing, seeking, flush, paging, refresh, unmount, end
  }

  private static let size = 1_500_000
  private static let block = 64 << 10
  private let feed: MountedFeed
  private let options: [String]
  /// Whether all bytes that were read stay cached: the cache has no limit.
  private let keepsAll: Bool
  private var random: SeededRandom
  private var written: WrittenFeed
  /// The file names of the titles that were seen.
  private var names: [String: String] = [:]
  /// Bytes that a reader got, by the number of the file: whole blocks.
  private var had: [(number: Int, bytes: Range<Int>)] = []

  /// - Parameter seed: an odd one makes the cache too small for what is played.
  init(seed: Int) throws {
    random = SeededRandom(seed: UInt64(seed))
    keepsAll = seed % 2 == 0
    options = keepsAll ? [] : ["--cache-size", "4M"]
    feed = try MountedFeed()
    let numbers = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    written = WrittenFeed(pages: numbers.map { $0.map(Self.item) })
    try written.serve(by: feed)
    try feed.origin.network(latency: .milliseconds(2), rate: 8 << 20)
  }

  /// Mounts, compares with the lives before, begins a deed, and is killed.
  mutating func live() throws {
    try feed.mount(written.path, options: options + ["--min-free", "0"])
    try compare()
    try readSome()

    let watch = try ChildProcess([
      "sh", "-c", "while ls -l \"$1\" 2>/dev/null; do :; done", "sh", feed.mountPoint + "/by-title",
    ])
    let deed = Deed.allCases[random.below(Deed.allCases.count)]
    let child = try begin(deed)
    let moment = Duration.milliseconds(random.below(deed == .flush ? 1_500 : 400))
    _ = child?.wait(timeout: moment) ?? watch.wait(timeout: moment)
    try feed.kill()
    child?.killGroup()
    watch.killGroup()
    _ = watch.wait(timeout: .seconds(10))
    for line in watch.output.text.split(separator: "\n") { try note(line) }
  }

  /// Checks that all files are there and right, and that the cache is left in order.
  mutating func end() throws {
    try feed.origin.network(rate: 0)
    try feed.mount(written.path, options: options + ["--min-free", "0"])
    try compare()
    for number in known {
      guard try feed.bytes(of: feed.path(number)) == truth(number, 0..<Self.size) else {
        throw TestToolError("wrong bytes in \(number)")
      }
    }
    try feed.unmount()
    // A file that lost blocks at the last moment has no clean mark, and is compared once more.
    guard try !keepsAll || feed.cleanMarks().allSatisfy({ $0 == 1 }) else {
      throw TestToolError("not in order after a clean stop")
    }
  }

  // MARK: Checks

  /// Checks that the seen names and the read bytes are there.
  private mutating func compare() throws {
    for file in try feed.status().files { try note(title: file.title, is: file.name) }
    let gone = try Set(names.values).subtracting(feed.names())
    guard gone.isEmpty else { throw TestToolError("\(gone) are gone") }
    try feed.origin.reset()
    for (number, bytes) in had { try read(number, bytes) }
    let again = try feed.mediaRequests().filter { request in
      request.bytesSent > 0 && had.contains { isOf(request, $0.number, $0.bytes) }
    }
    guard !keepsAll || again.isEmpty else {
      throw TestToolError("fetched again: \(again.map { "\($0.path) \($0.range ?? "all")" })")
    }
  }

  private func isOf(_ request: LoggedRequest, _ number: Int, _ bytes: Range<Int>) -> Bool {
    guard let item = try? item(number), request.target == item.file.path else { return false }
    // The next reader compares the last bytes of an answer whose end was not seen.
    return request.askedFor.map { $0.dropFirst(4096).overlaps(bytes) } ?? true
  }

  /// Notes a line of `ls -l by-title`, if it is complete.
  private mutating func note(_ line: Substring) throws {
    guard let arrow = line.firstRange(of: ".mp4 -> ../"), line.hasSuffix(".mp4"),
      let title = line[..<arrow.lowerBound].firstRange(of: "Item ")
    else { return }
    let name = String(line[arrow.upperBound...])
    try note(title: String(line[title.lowerBound..<arrow.lowerBound]), is: name)
  }

  private mutating func note(title: String, is name: String) throws {
    guard names[title, default: name] == name else {
      throw TestToolError("\(title) was \(names[title] ?? ""), and is \(name)")
    }
    names[title] = name
  }

  // MARK: Deeds

  private mutating func readSome() throws {
    had = []
    let numbers = known
    for _ in 0..<2 {
      let number = numbers[random.below(numbers.count)]
      let start = random.below(Self.size / Self.block) * Self.block
      let bytes = start..<min(start + (1 + random.below(6)) * Self.block, Self.size)
      try read(number, bytes)
      let whole = bytes.lowerBound..<bytes.upperBound / Self.block * Self.block
      if !whole.isEmpty { had.append((number, whole)) }
    }
  }

  private func read(_ number: Int, _ bytes: Range<Int>) throws {
    guard try MountedFile(feed.path(number)).read(bytes) == truth(number, bytes) else {
      throw TestToolError("wrong bytes in \(bytes) of \(number)")
    }
  }

  /// Begins `deed`, and returns its process; nil if there is none.
  private mutating func begin(_ deed: Deed) throws -> ChildProcess? {
    let path = try feed.path(1 + random.below(feed.entries().count))
    switch deed {
    case .playing, .flush: return try ChildProcess(["sh", "-c", "cat \"$1\" | wc -c", "sh", path])
    case .seeking:
      let jumps = (0..<12).map { _ in String(random.below(Self.size / 4096)) }
      let script = "for p in \(jumps.joined(separator: " ")); do "
      let read = "dd if=\"$1\" bs=4096 skip=$p count=20 status=none | wc -c; done"
      return try ChildProcess(["sh", "-c", script + read, "sh", path])
    case .paging: return try command("feed", "more", feed.mountPoint)
    case .refresh:
      written.pages[0].insert(Self.item(100 + written.pages[0].count), at: 0)
      try written.serve(by: feed)
      return try command("feed", "refresh", feed.mountPoint)
    case .unmount: return try command("unmount", feed.mountPoint)
    case .end:
      try feed.process.terminate()
      return nil
    }
  }

  private func command(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(
      [BuiltBinary.path("feedfs")] + arguments, environment: feed.environment)
  }

  // MARK: Items of the feed

  /// The numbers of the entries whose titles were seen; a refresh may bring more at any time.
  private var known: [Int] {
    names.values.compactMap { Int($0.prefix(4)) }.sorted()
  }

  /// The item whose file name has `number`.
  private func item(_ number: Int) throws -> WrittenFeed.Item {
    let title = names.first { $0.value == feed.name(number) }?.key
    guard let item = written.pages.joined().first(where: { $0.title == title }) else {
      throw TestToolError("nobody knows what \(number) is")
    }
    return item
  }

  private func truth(_ number: Int, _ bytes: Range<Int>) throws -> [UInt8] {
    try Pattern.bytes(bytes, seed: item(number).file.seed)
  }

  private static func item(_ number: Int) -> WrittenFeed.Item {
    var item = WrittenFeed.Item(number)
    item.size = size
    return item
  }
}
