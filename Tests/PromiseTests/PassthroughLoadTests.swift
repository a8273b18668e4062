import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Many files that become complete under many readers.
  @Suite(
    .timeLimit(.minutes(2)),
    .unless(Passthrough.obstacle))
  struct PassthroughLoadTests {
    private static let files = (0..<64).map { index in
      PatternFile(name: "\(index)", size: 200_000 + index * 10_007, seed: UInt64(index))
    }

    @Test func filesThatBecomeCompleteWhileTheyAreReadAndOpenedShowNoErrorAndLeaveNothingBehind()
      throws
    {
      let feed = try MountedFeed()
      let disk = try CacheDisk(for: feed, megabytes: 128)
      try feed.serve(Self.files)
      try feed.origin.network(latency: .milliseconds(5), rate: 4 << 20)
      try feed.mount()
      let before = disk.usedBytes

      let crowd = Crowd()
      for (index, file) in Self.files.enumerated() {
        let truth = Pattern.bytes(0..<file.size, seed: file.seed)
        for reader in 0..<4 {
          let seed = UInt64(index * 4 + reader)
          try crowd.join { try Self.readWhole(feed.path(index + 1), truth, seed: seed) }
        }
      }
      for opener in 0..<8 {
        try crowd.join {
          var random = RandomReads(seed: UInt64(opener), size: 0)
          for _ in 0..<125 {
            let file = Self.files.indices.randomElement(using: &random) ?? 0
            try Self.look(at: feed.path(file + 1), Self.files[file], &random)
          }
        }
      }
      #expect(crowd.wait(until: .now + .seconds(90)), "some reader never ends")
      #expect(crowd.failures == [])

      // The last files to become complete may be flushed only now.
      for number in 1...Self.files.count {
        #expect(
          try eventually { try MountedFile(feed.path(number)).passesThrough(past: feed.process) })
      }
      #expect(disk.usedBytes > before + (16 << 20))
      try disk.removeData()
      // Any open file, even in the kernel alone, would keep its bytes. Only the indexes are left.
      let daemon = try feed.process
      #expect(
        eventually { disk.usedBytes - CacheDisk.bytes(mappedBy: daemon) < before + (1 << 20) },
        "\(disk.usedBytes), \(CacheDisk.bytes(mappedBy: daemon)) mapped")
      #expect(try feed.status().passthrough == true)
    }

    /// Opens the file and reads all of it, three times, in random steps.
    private static func readWhole(_ path: String, _ truth: [UInt8], seed: UInt64) throws {
      var random = RandomReads(seed: seed, size: 0)
      for _ in 0..<3 {
        let file = try Opened(path)
        var done = 0
        while done < truth.count {
          let step = Int.random(in: 1...150_000, using: &random)
          done += try file.check(done..<done + step, of: truth)
        }
      }
    }

    /// Opens the file, reads 4 KiB somewhere, and closes it.
    private static func look(
      at path: String, _ file: PatternFile, _ random: inout RandomReads
    ) throws {
      let start = Int.random(in: 0..<file.size - 4_096, using: &random)
      let range = start..<start + 4_096
      let opened = try Opened(path)
      guard try opened.read(range) == Pattern.bytes(range, seed: file.seed) else {
        throw TestToolError("\(path) has wrong bytes in \(range)")
      }
    }
  }
}

/// A descriptor that is used only by the thread that opened it.
private struct Opened: ~Copyable {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw TestToolError("open \(path): \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    close(descriptor)
  }

  func read(_ range: Range<Int>) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = pread(descriptor, &bytes, bytes.count, range.lowerBound)
    guard count >= 0 else {
      throw TestToolError("read \(range) of \(path): \(String(cString: strerror(errno)))")
    }
    return Array(bytes[..<count])
  }

  /// Returns the number of bytes that came; throws if they are not those of `truth`.
  func check(_ range: Range<Int>, of truth: [UInt8]) throws -> Int {
    let bytes = try read(range)
    guard bytes.elementsEqual(range, of: truth) else {
      throw TestToolError("\(path) has wrong bytes in \(range)")
    }
    return bytes.count
  }
}
