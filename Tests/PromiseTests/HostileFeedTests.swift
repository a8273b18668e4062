import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A feed that turns bad while it is mounted changes nothing.
  @Suite(.timeLimit(.minutes(3))) struct HostileFeedTests {
    /// The answer that takes the feed's place.
    enum Turn: Sendable {
      case document([UInt8], type: String)
      case fault(OriginFault, [String: String])

      static func document(_ text: String, type: String = "application/rss+xml") -> Self {
        .document(Array(text.utf8), type: type)
      }
    }

    private static let turns: [(name: String, turn: Turn)] = [
      ("empty", .document("")),
      ("a page", .document("<html><body>Sorry", type: "text/html")),
      ("JSON", .document(#"{"items": []}"#, type: "application/json")),
      ("not UTF-8", .document([0xff, 0xc0, 0x80] + Array("<rss>".utf8), type: "text/xml")),
      ("deep", .document(String(repeating: "<a>", count: 1 << 18))),
      ("binary", .fault(.redirect, ["to": "/pattern/x?size=300000"])),
      ("huge", .fault(.redirect, ["to": "/pattern/x?size=200000000"])),
      ("said to be encoded", .fault(.gzip, ["value": "br"])),
      ("short", .fault(.short, ["by": "10"])),
      ("gone", .fault(.status, ["code": "410"])),
      ("no HTTP", .fault(.garbage, [:])),
      ("a loop", .fault(.redirect, [:])),
      (truncated, .document("<rss><channel><title>test</title><item><guid>e1</guid><tit")),
    ]
    /// The truncated feed is read as far as it goes, without an error.
    private static let truncated = "truncated"

    @Test(arguments: DriveKind.all)
    func aFeedThatTurnsBadLeavesTheListingAsItWas(on drive: DriveKind) throws {
      let feeds = try Self.turns.map { name, turn in
        let feed = try drive.drive()
        try feed.serve((1...3).map { PatternFile(name: "e\($0)", size: 1 << 20) })
        try feed.mount(options: ["--refresh", "1"])
        return (name, feed, try feed.inodes(), try turnBad(feed, turn))
      }
      for (name, feed, before, count) in feeds {
        // The first of these two requests has been handled when the second one comes.
        try feed.origin.wait(requests: count + 2, below: "/feed", timeout: .seconds(30))
        #expect(try feed.inodes() == before, "\(name)")
        #expect(try feed.isServed, "\(name)")
        #expect(try feed.bytes(of: feed.path(1)).count == 1 << 20, "\(name)")
        #expect(
          try name == Self.truncated || eventually { try feed.status().feeds[0].error != nil },
          "\(name)")
      }
    }

    /// Makes the feed bad; returns the number of requests for it so far.
    private func turnBad(_ feed: any Drive, _ turn: Turn) throws -> Int {
      switch turn {
      case .document(let bytes, let type): try feed.origin.put(bytes, at: "/feed", type: type)
      case .fault(let fault, let parameters):
        try feed.origin.fault(fault, below: "/feed", parameters)
        // Serves another document, since the answer must not be that nothing has changed.
        try feed.serve([PatternFile(name: "other", size: 1 << 20)])
      }
      return try feed.origin.log(below: "/feed").count
    }
  }
}
