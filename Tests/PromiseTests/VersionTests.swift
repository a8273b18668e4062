import Glibc
import TestSupport
import Testing

extension Promises {
  /// No handle ever reads bytes of two versions, and a new open reads the new version.
  @Suite(.timeLimit(.minutes(Claim.minutes)), .whateverLengthTheFeedClaims) struct VersionTests {
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

    /// Returns the lengths of the new version: all on the direct drive and in a full count, else
    /// the one for this case.
    private func newSizes(on drive: DriveKind, case number: Int) -> [Int] {
      drive == .direct || Scale.isFull
        ? Self.newSizes : [Self.newSizes[number % Self.newSizes.count]]
    }

    /// The moment of a change, and what gives it away.
    struct Change {
      let number: Int
      let moment: Moment
      let identity: Identity

      static let all = Moment.allCases.enumerated().flatMap { number, moment in
        Identity.allCases.map { Change(number: number, moment: moment, identity: $0) }
      }
      /// Each moment once, with the one identity or the other.
      static let some = all.filter { $0.identity == Identity.allCases[$0.number % 2] }
    }

    @Test(arguments: DriveKind.cases(Change.all, onKernel: Change.some))
    func noHandleSeesBytesOfTwoVersions(on drive: DriveKind, change: Change) async throws {
      let (moment, identity) = (change.moment, change.identity)
      // An origin that is silent for a quarter of this is asked once more.
      let options = moment == .beforeTheFirstByte ? ["--read-timeout", "8"] : []
      try await drive.forEach(newSizes(on: drive, case: change.number)) { newSize in
        let new = Pattern.bytes(0..<newSize, seed: 8)
        let feed = try ChangingFeed(on: drive, Self.old, identity)
        if let stall = moment.stall {
          try feed.origin.fault(.stall, below: ChangingFeed.path, times: 1, after: stall)
        }
        try feed.mounted.mount(options: options)
        let handle = try feed.open()
        let inode = try handle.facts().inode
        try feed.origin.wait(
          bytes: moment.stall ?? 1, idle: moment.stall == nil, below: ChangingFeed.path)
        let come = try feed.mounted.mediaBytes()

        try feed.serve(new, identity)
        try feed.origin.clear()
        // All bytes that a handle gives are of its version; missing ones are ESTALE.
        let cached = come / Self.block * Self.block
        #expect(try handle.failure(of: Self.size - 100_000..<Self.size) == ESTALE)
        for start in stride(from: 0, to: Self.size, by: Self.block) {
          let range = start..<start + Self.block
          if range.upperBound <= cached {
            #expect(try handle.read(range) == Array(Self.old[range]))
          } else if start > come {
            #expect(try handle.failure(of: range) == ESTALE)
          }
        }

        let renewed = try feed.open()
        let facts = try renewed.facts()
        #expect(facts.inode != inode)
        #expect(facts.size == newSize)
        #expect(try renewed.readAll() == new)
        #expect(try handle.facts().inode == inode)
        if cached > 0 { #expect(try handle.read(0..<cached) == Array(Self.old[..<cached])) }
        #expect(try handle.failure(of: come + Self.block..<Self.size) == ESTALE)
      }
    }

    @Test(arguments: DriveKind.all, Identity.allCases)
    func aChangeFoundAtALaterOpenHoldsForTheNext(
      on drive: DriveKind, identity: Identity
    ) async throws {
      let sizes = newSizes(on: drive, case: identity == .entityTag ? 1 : 2)
      try await drive.forEach(sizes) { newSize in
        let new = Pattern.bytes(0..<newSize, seed: 8)
        let feed = try ChangingFeed(on: drive, Self.old, identity)
        try feed.origin.describe(below: ChangingFeed.path, cacheControl: "max-age=0")
        try feed.mounted.mount()
        let first = try feed.open()
        #expect(try first.readAll() == Self.old)
        let inode = try first.facts().inode

        try feed.serve(new, identity)
        let opened = try feed.open()
        #expect(eventually { isRenewed(feed, since: inode) })
        let renewed = try feed.open()
        #expect(try renewed.readAll() == new)
        // A handle from before keeps the cached bytes, to the last one.
        #expect(try opened.facts().inode == inode)
        #expect(try opened.readAll() == Self.old)
      }
    }

    /// Whether the file has another inode. A handle may become stale before it has told its own.
    private func isRenewed(_ feed: ChangingFeed, since inode: UInt64) -> Bool {
      (try? feed.open().facts().inode != inode) ?? false
    }

    @Test(arguments: DriveKind.all)
    func aChangeIsFoundWithoutAnyNameForTheVersion(on drive: DriveKind) throws {
      let new = Pattern.bytes(0..<Self.size, seed: 8)
      let feed = try ChangingFeed(on: drive, Self.old, nil)
      try feed.origin.describe(below: ChangingFeed.path, cacheControl: "max-age=0")
      try feed.mounted.mount()
      #expect(try feed.open().readAll() == Self.old)
      let inode = try feed.open().facts().inode
      try feed.serve(new, nil)
      #expect(eventually { isRenewed(feed, since: inode) })
      #expect(try feed.open().readAll() == new)
    }

    @Test(arguments: DriveKind.all, [.entityTag, .lastModified, nil] as [Identity?])
    func aVersionFromBeforeARestartIsReplacedToo(on drive: DriveKind, identity: Identity?) throws {
      let new = Pattern.bytes(0..<Self.size, seed: 8)
      let feed = try ChangingFeed(on: drive, Self.old, identity)
      try feed.origin.describe(below: ChangingFeed.path, cacheControl: "max-age=0")
      try feed.mounted.mount()
      #expect(try feed.open().readAll() == Self.old)
      try feed.mounted.unmount()

      try feed.serve(new, identity)
      try feed.mounted.mount()
      let inode = try feed.open().facts().inode
      #expect(eventually { isRenewed(feed, since: inode) })
      #expect(try feed.open().readAll() == new)
    }

    @Test(arguments: DriveKind.all, Identity.allCases)
    func theNewVersionIsThereAfterARestart(on drive: DriveKind, identity: Identity) throws {
      let new = Pattern.bytes(0..<Self.size, seed: 8)
      let feed = try ChangingFeed(on: drive, Self.old, identity)
      try feed.mounted.mount()
      _ = try feed.open().read(0..<1_000)
      try feed.serve(new, identity)
      let inode = try feed.open().facts().inode
      #expect(try feed.open().failure(of: 2_000_000..<2_000_001) == ESTALE)
      // The reader hears of the change before the catalog does, and no kernel takes its time here.
      if drive == .direct { #expect(eventually { isRenewed(feed, since: inode) }) }
      #expect(try feed.open().readAll() == new)
      try feed.mounted.unmount()

      feed.origin.stop()
      try feed.mounted.mount()
      let renewed = try feed.open()
      #expect(try renewed.facts().inode != inode)
      #expect(try renewed.readAll() == new)
    }
  }
}

/// A feed of one file that can be served in another version.
private struct ChangingFeed {
  static let path = "/pattern/a.mp4"

  let mounted: any Drive
  var origin: OriginProcess { mounted.origin }

  init(
    on drive: DriveKind, _ bytes: [UInt8], _ identity: Promises.VersionTests.Identity?
  ) throws {
    mounted = try drive.drive()
    try mounted.serve([PatternFile(name: "a", size: bytes.count)])
    try serve(bytes, identity)
  }

  func open() throws -> any OpenedFile {
    try mounted.open(mounted.path(1))
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
