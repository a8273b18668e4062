import Glibc
import TestSupport
import Testing

extension Promises {
  /// After an unclean stop, only those cached bytes are believed that match their checksums.
  @Suite(.timeLimit(.minutes(3))) struct DamageTests {
    /// Damage to the files of the cache.
    enum Damage: CaseIterable {
      case flippedFirstByte, flippedByte, flippedByteOfEveryBlock
      case emptyIndex, indexWithinHeader, indexAtBitmap, indexWithinChecksums, indexWithoutLastByte
      case garbledHeader, everyBitSet, garbledChecksums, garbledIndex
      case swappedData, swappedIndexes, swappedBoth
      case truncatedData, emptyData, punchedData, grownData
      case noData, noIndex, indexIsADirectory, dataIsALink
    }

    private static let size = 1 << 20 + 54_321

    private static let stops = Damage.allCases.flatMap { damage in
      [true, false].map { (damage, $0) }
    }

    /// Files that were closed before the stop have a clean mark. The stop voids it.
    @Test(arguments: Scale.cases(15, of: stops))
    func damageAfterAnUncleanStopNeverShows(_ damage: Damage, isOpenAtTheStop: Bool) throws {
      let feed = try MountedFeed()
      let files = [
        PatternFile(name: "a", size: Self.size, seed: 1),
        PatternFile(name: "b", size: Self.size, seed: 2),
      ]
      try feed.serve(files)
      let truths = try files.map { try feed.truth(of: $0) }
      try feed.mount()
      // One complete file, and the head of the other.
      var handles = try (1...2).map { try MountedFile(feed.path($0)) }
      #expect(try feed.digest(of: feed.path(1)) == truths[0])
      _ = try handles[1].read(0..<100_000)
      if !isOpenAtTheStop { handles = [] }
      try feed.settle()
      try feed.kill()

      let cached = try CachedFiles(in: feed.cacheDirectory)
      try cached.suffer(damage)
      try feed.mount()
      for number in 1...2 {
        #expect(try feed.digest(of: feed.path(number)) == truths[number - 1])
      }
      try feed.unmount()

      // Mended bytes stay, also without the network. A directory in the way stays, too.
      guard damage != .indexIsADirectory else { return }
      feed.origin.stop()
      try feed.mount()
      for number in 1...2 {
        #expect(try feed.digest(of: feed.path(number)) == truths[number - 1])
      }
      try feed.unmount()
    }

    @Test(arguments: [Damage.flippedByteOfEveryBlock, .everyBitSet, .swappedData, .punchedData])
    func damageThatCannotBeMendedIsAnErrorAndNoByte(_ damage: Damage) throws {
      let feed = try MountedFeed()
      let file = PatternFile(name: "a", size: Self.size, seed: 1)
      try feed.serve([file, PatternFile(name: "b", size: Self.size, seed: 2)])
      let truth = Pattern.bytes(0..<Self.size, seed: 1)
      try feed.mount()
      let handles = try (1...2).map { try MountedFile(feed.path($0)) }
      for handle in handles { _ = try handle.read(0..<300_000) }
      try feed.settle()
      try feed.kill()

      try CachedFiles(in: feed.cacheDirectory).suffer(damage)
      feed.origin.stop()
      try feed.mount(options: ["--read-timeout", Duration.seconds(1).option])
      let handle = try MountedFile(feed.path(1))
      for start in stride(from: 0, to: 400_000, by: 131_072) {
        let range = start..<start + 65_536
        if let bytes = try? handle.read(range) {
          #expect(bytes.elementsEqual(range, of: truth))
        } else {
          #expect(try handle.failure(of: range) == EIO)
        }
      }
    }
  }
}

/// The two pairs of files in a cache; the first pair has more blocks.
private struct CachedFiles {
  private let data: [String]
  private let indexes: [String]
  private let size: Int

  init(in directory: String) throws {
    let found = try ChildProcess.run(["find", directory, "-name", "*.data"]).out
    data = found.split(separator: "\n").map(String.init).sorted {
      Self.blocks($0) > Self.blocks($1)
    }
    guard data.count == 2 else { throw TestToolError("two files should be cached: \(found)") }
    indexes = data.map { $0.dropLast("data".count) + "idx" }
    size = Self.size(data[0])
  }

  func suffer(_ damage: Promises.DamageTests.Damage) throws {
    switch damage {
    case .flippedFirstByte: try flip(data[0], at: 0)
    case .flippedByte: try flip(data[0], at: 700_001)
    case .flippedByteOfEveryBlock:
      for file in data {
        for offset in stride(from: 4_000, to: size, by: 64 << 10) { try flip(file, at: offset) }
      }
    case .emptyIndex: try run("truncate -s 0", indexes)
    case .indexWithinHeader: try run("truncate -s 100", indexes)
    case .indexAtBitmap: try run("truncate -s 4096", indexes)
    case .indexWithinChecksums: try run("truncate -s 4119", indexes)
    case .indexWithoutLastByte: try run("truncate -s -1", indexes)
    case .garbledHeader: try garble(indexes, 70..<90)
    case .everyBitSet: try overwrite(indexes, 4_096..<4_104, with: 255)
    case .garbledChecksums: try garble(indexes, 4_104..<4_140)
    case .garbledIndex: try garble(indexes, 0..<4_200)
    case .swappedData: try swap(data)
    case .swappedIndexes: try swap(indexes)
    case .swappedBoth:
      try swap(data)
      try swap(indexes)
    case .truncatedData: try run("truncate -s 200001", data)
    case .emptyData: try run("truncate -s 0", data)
    case .punchedData: try run("fallocate -p -o 30000 -l 200000", data)
    case .grownData: try run("truncate -s +100000", data)
    case .noData: try run("rm", data)
    case .noIndex: try run("rm", indexes)
    case .indexIsADirectory:
      try run("rm", indexes)
      try run("mkdir", indexes)
    case .dataIsALink:
      try run("mv -t \(folder)/..", data)
      for file in data { try run("ln -s ../\(file.split(separator: "/").last ?? "")", [file]) }
    }
  }

  private var folder: String {
    String(data[0][..<(data[0].lastIndex(of: "/") ?? data[0].startIndex)])
  }

  private func run(_ command: String, _ files: [String]) throws {
    let words = command.split(separator: " ").map(String.init)
    for file in files {
      let outcome = try ChildProcess.run(words + [file])
      guard outcome.status == 0 else { throw TestToolError("\(command): \(outcome.err)") }
    }
  }

  private func swap(_ files: [String]) throws {
    guard rename(files[0], files[0] + ".x") == 0, rename(files[1], files[0]) == 0,
      rename(files[0] + ".x", files[1]) == 0
    else { throw TestToolError("\(files) cannot be swapped") }
  }

  private func flip(_ file: String, at offset: Int) throws {
    try change(file, offset..<offset + 1) { $0 ^ 0x10 }
  }

  /// Overwrites `range` with pseudo-random bytes, the same in every run.
  private func garble(_ files: [String], _ range: Range<Int>) throws {
    var random = RandomReads(seed: 10, size: 0)
    for file in files { try change(file, range) { _ in .random(in: 1...254, using: &random) } }
  }

  private func overwrite(_ files: [String], _ range: Range<Int>, with byte: UInt8) throws {
    for file in files { try change(file, range) { _ in byte } }
  }

  private func change(_ file: String, _ range: Range<Int>, _ body: (UInt8) -> UInt8) throws {
    let descriptor = open(file, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: range.count)
    guard pread(descriptor, &bytes, bytes.count, range.lowerBound) >= 0 else {
      throw TestToolError("\(file) cannot be read")
    }
    bytes = bytes.map(body)
    guard pwrite(descriptor, bytes, bytes.count, range.lowerBound) == bytes.count else {
      throw TestToolError("\(file) cannot be changed")
    }
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func blocks(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_blocks) : 0
  }
}
