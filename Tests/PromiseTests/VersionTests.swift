import Glibc
import TestSupport
import Testing

extension Promises {
  /// No handle ever reads bytes of two versions, and a new open reads the new version.
  @Suite(.timeLimit(.minutes(3)), .whateverLengthTheFeedClaims) struct VersionTests {
    /// The validator that tells the origin's versions apart.
    enum Identity: CaseIterable {
      case entityTag, lastModified
    }

    /// How far the old version had come when the new one took its place.
    enum Moment: CaseIterable {
      case beforeTheFirstByte, inABlock, atABlocksEdge, afterTheFirstFetch

      /// Bytes of the first answer that come; nil: all.
      var stall: Int? {
        switch self {
        case .beforeTheFirstByte: 0
        case .inABlock: 100_000
        case .atABlocksEdge: 2 * VersionTests.block
        case .afterTheFirstFetch: nil
        }
      }
    }

    fileprivate static let block = 64 << 10
    private static let size = 3 << 20
    private static let old = Pattern.bytes(0..<size, seed: 7)

    /// Lengths of the new version: the same, less than was read of the old one, more.
    private static let newSizes = [size, 50_000, size + 777_777]

    @Test(arguments: Moment.allCases, Identity.allCases)
    func noHandleSeesBytesOfTwoVersions(moment: Moment, identity: Identity) throws {
      for newSize in Self.newSizes {
        let new = Pattern.bytes(0..<newSize, seed: 8)
        let feed = try ChangingFeed(Self.old, identity)
        if let stall = moment.stall {
          try feed.origin.fault(.stall, below: ChangingFeed.path, times: 1, after: stall)
        }
        try feed.mounted.mount()
        let handle = try MountedFile(feed.file)
        let inode = try handle.status().st_ino
        try feed.origin.wait(
          bytes: moment.stall ?? 1, idle: moment.stall == nil, below: ChangingFeed.path)
        let come = try feed.mounted.mediaBytes()

        try feed.serve(new, identity)
        try feed.origin.clear()
        // All bytes that a handle gives are of its version; missing ones are ESTALE.
        let held = come / Self.block * Self.block
        #expect(try handle.failure(of: Self.size - 100_000..<Self.size) == ESTALE)
        for start in stride(from: 0, to: Self.size, by: Self.block) {
          let range = start..<start + Self.block
          if range.upperBound <= held {
            #expect(try handle.read(range) == Array(Self.old[range]))
          } else if start > come {
            #expect(try handle.failure(of: range) == ESTALE)
          }
        }

        let renewed = try MountedFile(feed.file)
        let status = try renewed.status()
        #expect(status.st_ino != inode)
        #expect(Int(status.st_size) == newSize)
        #expect(try renewed.readAll() == new)
        #expect(try handle.status().st_ino == inode)
        if held > 0 { #expect(try handle.read(0..<held) == Array(Self.old[..<held])) }
        #expect(try handle.failure(of: come + Self.block..<Self.size) == ESTALE)
      }
    }

    @Test(arguments: Identity.allCases)
    func aChangeFoundAtALaterOpenHoldsForTheNext(identity: Identity) throws {
      for newSize in Self.newSizes {
        let new = Pattern.bytes(0..<newSize, seed: 8)
        let feed = try ChangingFeed(Self.old, identity)
        try feed.origin.describe(below: ChangingFeed.path, cacheControl: "max-age=0")
        try feed.mounted.mount()
        let first = try MountedFile(feed.file)
        #expect(try first.readAll() == Self.old)
        let inode = try first.status().st_ino

        try feed.serve(new, identity)
        let opened = try MountedFile(feed.file)
        #expect(try eventually { try MountedFile(feed.file).status().st_ino != inode })
        let renewed = try MountedFile(feed.file)
        #expect(try renewed.readAll() == new)
        // A handle from before keeps the cached bytes, to the last one.
        #expect(try opened.status().st_ino == inode)
        #expect(try opened.readAll() == Self.old)
      }
    }

    @Test func aChangeIsFoundWithoutAnyNameForTheVersion() throws {
      let new = Pattern.bytes(0..<Self.size, seed: 8)
      let feed = try ChangingFeed(Self.old, nil)
      try feed.origin.describe(below: ChangingFeed.path, cacheControl: "max-age=0")
      try feed.mounted.mount()
      #expect(try MountedFile(feed.file).readAll() == Self.old)
      let inode = try MountedFile(feed.file).status().st_ino
      try feed.serve(new, nil)
      #expect(try eventually { try MountedFile(feed.file).status().st_ino != inode })
      #expect(try MountedFile(feed.file).readAll() == new)
    }

    @Test(arguments: [.entityTag, .lastModified, nil] as [Identity?])
    func aVersionFromBeforeARestartIsReplacedToo(identity: Identity?) throws {
      let new = Pattern.bytes(0..<Self.size, seed: 8)
      let feed = try ChangingFeed(Self.old, identity)
      try feed.origin.describe(below: ChangingFeed.path, cacheControl: "max-age=0")
      try feed.mounted.mount()
      #expect(try MountedFile(feed.file).readAll() == Self.old)
      try feed.mounted.unmount()

      try feed.serve(new, identity)
      try feed.mounted.mount()
      let inode = try MountedFile(feed.file).status().st_ino
      #expect(try eventually { try MountedFile(feed.file).status().st_ino != inode })
      #expect(try MountedFile(feed.file).readAll() == new)
    }

    @Test(arguments: Identity.allCases)
    func theNewVersionIsThereAfterARestart(identity: Identity) throws {
      let new = Pattern.bytes(0..<Self.size, seed: 8)
      let feed = try ChangingFeed(Self.old, identity)
      try feed.mounted.mount()
      _ = try MountedFile(feed.file).read(0..<1_000)
      try feed.serve(new, identity)
      let inode = try MountedFile(feed.file).status().st_ino
      #expect(try MountedFile(feed.file).failure(of: 2_000_000..<2_000_001) == ESTALE)
      #expect(try MountedFile(feed.file).readAll() == new)
      try feed.mounted.unmount()

      feed.origin.stop()
      try feed.mounted.mount()
      let renewed = try MountedFile(feed.file)
      #expect(try renewed.status().st_ino != inode)
      #expect(try renewed.readAll() == new)
    }
  }
}

/// A feed of one file that can be served in another version.
private struct ChangingFeed {
  static let path = "/pattern/a.mp4"

  let mounted: MountedFeed
  var origin: OriginProcess { mounted.origin }
  var file: String { mounted.path(1) }

  init(_ bytes: [UInt8], _ identity: Promises.VersionTests.Identity?) throws {
    mounted = try MountedFeed()
    try mounted.serve([PatternFile(name: "a", size: bytes.count)])
    try serve(bytes, identity)
  }

  func serve(_ bytes: [UInt8], _ identity: Promises.VersionTests.Identity?) throws {
    // The first two bytes tell the versions of these tests apart.
    let name = Int(bytes[0]) << 8 | Int(bytes[1])
    let digits = String(name % 60)
    let seconds = digits.utf8.count < 2 ? "0" + digits : digits
    var headers = ["ETag": "", "Last-Modified": ""]
    switch identity {
    case .entityTag: headers["ETag"] = "\"\(name)\""
    case .lastModified: headers["Last-Modified"] = "Fri, 01 May 2026 10:00:\(seconds) GMT"
    case nil: break
    }
    try origin.put(bytes, at: Self.path, type: "video/mp4", headers: headers)
  }
}
