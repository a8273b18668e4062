import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// An origin that names the same bytes by several tags serves one version.
  @Suite(.timeLimit(.minutes(3)), .whateverLengthTheFeedClaims) struct TagTests {
    private static let path = "/pattern/a.mp4"
    private static let size = 3 << 20
    private static let film = Pattern.bytes(0..<size, seed: 7)

    /// A mounted film of which the head has been read from a node that calls it "one".
    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try put(Self.film, "one", at: feed)
      try feed.mount()
      #expect(try feed.open(feed.path(1)).read(0..<1_000) == Array(Self.film[0..<1_000]))
      try feed.settle()
      return feed
    }

    /// Serves `bytes` by the tag `name`. The origin answers If-Range with another tag by the whole.
    private func put(_ bytes: [UInt8], _ name: String, date: String = "", at feed: any Drive) throws
    {
      try feed.origin.put(
        bytes, at: Self.path, type: "video/mp4",
        headers: ["ETag": "\"\(name)\"", "Last-Modified": date])
    }

    /// The requests for the places to compare, since request number `first`.
    private func comparisons(_ feed: any Drive, from first: Int) throws -> [LoggedRequest] {
      try feed.mediaRequests().dropFirst(first).filter { asked in
        asked.askedFor?.count == Figure.comparedPlace.bytes && asked.headers["if-range"] == nil
      }
    }

    @Test(arguments: DriveKind.all)
    func theSameBytesByAnotherTagAreReadOn(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      let handle = try feed.open(feed.path(1))
      let inode = try handle.facts().inode
      let before = try feed.mediaRequests().count
      try put(Self.film, "two", at: feed)

      #expect(try handle.readAll() == Self.film)
      #expect(try feed.open(feed.path(1)).facts().inode == inode)
      // The first cached block, the last one, and one between them.
      #expect((2...3).contains(try comparisons(feed, from: before).count))
    }

    /// Every second answer comes from the other node.
    @Test(arguments: DriveKind.all)
    func aFilmBehindTwoNodesIsReadToItsEnd(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      let handle = try feed.open(feed.path(1))
      for place in 0..<12 {
        try feed.origin.clear()
        if place % 2 == 0 {
          try feed.origin.fault(.etag, below: Self.path, ["value": "\"two\""])
        }
        let bytes = place * (256 << 10)..<place * (256 << 10) + (64 << 10)
        #expect(try handle.read(bytes) == Array(Self.film[bytes]))
        try feed.settle()
      }

      try feed.origin.clear()
      #expect(try handle.readAll() == Self.film)
    }

    @Test(arguments: DriveKind.all)
    func afterARestartNothingIsComparedAnew(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try put(Self.film, "two", at: feed)
      let far = 2 << 20..<(2 << 20) + 4096
      #expect(try feed.open(feed.path(1)).read(far) == Array(Self.film[far]))
      try feed.settle()
      try feed.unmount()
      try feed.mount()
      let before = try feed.mediaRequests().count

      try put(Self.film, "three", at: feed)
      #expect(try feed.bytes(of: feed.path(1)) == Self.film)
      #expect(try comparisons(feed, from: before).isEmpty)
      #expect(
        try feed.mediaRequests().dropFirst(before).allSatisfy { $0.headers["if-range"] == nil })
    }

    @Test(arguments: DriveKind.all)
    func otherBytesByAnotherTagAreAnotherVersion(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      let handle = try feed.open(feed.path(1))
      let new = Pattern.bytes(0..<Self.size, seed: 8)
      try put(new, "two", at: feed)

      #expect(try handle.failure(of: 2 << 20..<Self.size) == ESTALE)
      #expect(try handle.read(0..<1_000) == Array(Self.film[0..<1_000]))
      var bytes: [UInt8]?
      _ = eventually {
        bytes = try? feed.bytes(of: feed.path(1))
        return bytes == new
      }
      #expect(bytes == new)
    }

    /// Where tags do not count, a date tells versions apart.
    @Test(arguments: DriveKind.all)
    func whereTagsDoNotCountAStrongDateDoes(on drive: DriveKind) throws {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try put(Self.film, "one", date: "Fri, 01 May 2026 10:00:00 GMT", at: feed)
      try feed.mount()
      let handle = try feed.open(feed.path(1))
      #expect(try handle.read(0..<1_000) == Array(Self.film[0..<1_000]))
      try feed.settle()
      try put(Self.film, "two", date: "Fri, 01 May 2026 10:00:00 GMT", at: feed)
      let far = 2 << 20..<(2 << 20) + 4096
      #expect(try handle.read(far) == Array(Self.film[far]))
      try feed.settle()

      let new = Pattern.bytes(0..<Self.size, seed: 8)
      try put(new, "three", date: "Fri, 01 May 2026 11:00:00 GMT", at: feed)
      #expect(try handle.failure(of: 1 << 20..<(1 << 20) + 4096) == ESTALE)
    }

    /// A check when the file is opened finds the other tag of a file that is complete.
    @Test(arguments: DriveKind.all, [true, false])
    func aCheckAtAnOpenDoubtsATagToo(on drive: DriveKind, isSame: Bool) throws {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try put(Self.film, "one", at: feed)
      try feed.origin.describe(below: Self.path, cacheControl: "max-age=0")
      try feed.mount(options: ["--no-passthrough"])
      let handle = try feed.open(feed.path(1))
      #expect(try handle.readAll() == Self.film)
      let inode = try handle.facts().inode
      try feed.settle()
      let before = try feed.mediaRequests().count
      try put(isSame ? Self.film : Pattern.bytes(0..<Self.size, seed: 8), "two", at: feed)

      let opened = try feed.open(feed.path(1))
      if isSame {
        #expect(try eventually { try comparisons(feed, from: before).count == 3 })
        try feed.settle()
        #expect(try feed.open(feed.path(1)).facts().inode == inode)
        #expect(try feed.status().files[0].state == .complete)
      } else {
        #expect(eventually { (try? feed.open(feed.path(1)).facts().inode) != inode })
      }
      #expect(try opened.readAll() == Self.film)
    }
  }
}
