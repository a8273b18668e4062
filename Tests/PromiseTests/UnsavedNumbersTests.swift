import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A state directory that takes nothing: known names lead where they led, and new entries wait.
  @Suite(
    .timeLimit(.minutes(3)), .serialized,
    .enabled(if: canMount && geteuid() == 0, "needs root for a disk of its own"))
  struct UnsavedNumbersTests {
    private let feed: MountedFeed
    private let disk: StateDisk

    init() throws {
      feed = try MountedFeed()
      disk = try StateDisk(for: feed, kilobytes: 64)
    }

    /// Sixty entries fit on the disk, two hundred do not.
    @Test(arguments: [0, 60])
    func namesLeadWhereTheyLedThoughTheDiskWasFullWhenTheyCame(saved: Int) throws {
      var written = WrittenFeed(pages: [(0..<saved).map(Self.item)])
      if saved > 0 {
        try written.serve(by: feed)
        try feed.mount(written.path)
        #expect(try feed.entries().count == saved)
        try feed.unmount()
      }
      written.pages[0] = (0..<200).reversed().map(Self.item)
      try written.serve(by: feed)
      try feed.mount(written.path)
      if saved > 0 { _ = try feed.feedfs("feed", "refresh", feed.mountPoint) }
      #expect(try eventually { try feed.status().feeds[0].waiting == 200 - saved })
      let seen = try names()
      #expect(seen.count == saved)
      #expect(try feed.status().feeds[0].unsaved?.contains("full") == true)
      #expect(
        try feed.feedfs("status", feed.mountPoint).out.contains("new entries are not listed yet"))
      #expect(try feed.feedfs("doctor").out.contains("new entries are not listed yet"))
      #expect(try feed.process.errors.text.contains("catalog not saved"))

      try feed.kill()
      try disk.grow()
      written.pages[0] = (0..<300).reversed().map(Self.item)
      try written.serve(by: feed)
      try feed.mount(written.path)
      _ = try feed.feedfs("feed", "refresh", feed.mountPoint)
      let now = try names()
      #expect(now.count == 300)
      #expect(seen.allSatisfy { now[$0.key] == $0.value })
    }

    @Test func whatWaitsAppearsByItselfAndStaysWhatItIs() throws {
      let written = WrittenFeed(pages: [(0..<200).map(Self.item)])
      try written.serve(by: feed)
      try feed.mount(written.path)
      #expect(try feed.entries() == [])
      #expect(try feed.status().feeds[0].waiting == 200)

      try disk.grow()

      #expect(try eventually(within: .seconds(40)) { try feed.entries().count == 200 })
      #expect(try feed.status().feeds[0].waiting == nil)
      #expect(try feed.status().feeds[0].unsaved == nil)
      let seen = try names()
      try feed.kill()
      try feed.mount(written.path)
      #expect(try names() == seen)
    }

    /// The file behind each title.
    private func names() throws -> [String: String] {
      let list = try ChildProcess.run(["ls", "-l", feed.mountPoint + "/by-title"]).out
      let pairs = list.split(separator: "\n").compactMap { line -> (String, String)? in
        guard let arrow = line.firstRange(of: " -> ../"), let at = line.firstRange(of: "2026-")
        else { return nil }
        return (
          String(line[at.lowerBound..<arrow.lowerBound]), String(line[arrow.upperBound...])
        )
      }
      return Dictionary(pairs) { first, _ in first }
    }

    private static func item(_ number: Int) -> WrittenFeed.Item {
      var item = WrittenFeed.Item(number)
      item.title = "Item \(number), with a title of some length, as they mostly are"
      return item
    }
  }
}

/// A small tmpfs for the state of a mount.
final class StateDisk: Sendable {
  private let path: String

  init(for feed: MountedFeed, kilobytes: Int) throws {
    path = feed.folder + "/state"
    mkdir(path, 0o700)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k,mode=0700") == 0 else {
      throw TestToolError("no tmpfs at \(path): \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    takeAwayDisk(at: path)
  }

  /// Makes room on the disk.
  func grow() throws {
    guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=16m") == 0 else {
      throw TestToolError("the disk does not grow: \(String(cString: strerror(errno)))")
    }
  }
}
