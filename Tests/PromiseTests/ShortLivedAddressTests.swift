import Glibc
import TestSupport
import Testing

extension Promises {
  /// A feed whose addresses live for seconds.
  @Suite(.timeLimit(.minutes(1)), .enabled(if: canMount))
  struct ShortLivedAddressTests {
    /// The paths of the same film, by an address that runs out, and by the next one.
    private static let (old, new) = ("/old/film.mp4", "/new/film.mp4")

    /// Serves a film at both addresses; returns its item, with the first.
    private func film(by feed: any Drive) throws -> WrittenFeed.Item {
      var item = WrittenFeed.Item(1)
      item.size = 4 << 20
      item.media = Self.old
      let bytes = Pattern.bytes(0..<item.size, seed: item.file.seed)
      for path in [Self.old, Self.new] {
        try feed.origin.put(bytes, at: path, type: "video/mp4", headers: ["ETag": "\"film\""])
      }
      return item
    }

    @Test func anAddressThatExpiresRightAfterTheFeedWasReadIsAskedForAgain() throws {
      let feed = try MountedFeed()
      let item = try film(by: feed)
      var written = WrittenFeed(pages: [[item]])
      try written.serve(by: feed)
      try feed.mount(written.path)
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).status == 0)
      let file = try MountedFile(feed.path(1))
      #expect(try file.read(0..<4096) == Pattern.bytes(0..<4096, seed: item.file.seed))

      // The address that the feed gave just now has expired.
      written.pages[0][0].media = Self.new
      try written.serve(by: feed)
      try feed.origin.fault(.status, below: Self.old, ["code": "403"])

      let far = 3 << 20..<(3 << 20) + 4096
      #expect(try file.read(far) == Pattern.bytes(far, seed: item.file.seed))
    }

    /// How an address that has run out answers.
    enum Answer: CaseIterable {
      case badRequest, notAcceptable, expired, movedToAPage, loginPage

      func fault(below path: String = ShortLivedAddressTests.old, of origin: OriginProcess) throws {
        switch self {
        case .badRequest: try origin.fault(.status, below: path, ["code": "400"])
        case .notAcceptable: try origin.fault(.status, below: path, ["code": "406"])
        case .expired: try origin.fault(.status, below: path, ["code": "419"])
        case .movedToAPage:
          try origin.put("<!doctype html><p>It has run out.</p>", at: "/out", type: "text/html")
          try origin.fault(
            .redirect, below: path, ["code": "302", "to": origin.url("/out"), "hops": "0"])
        case .loginPage: try origin.fault(.html, below: path)
        }
      }
    }

    /// A mounted film at an address with this token, which has run out. The feed has another one.
    private func expired(
      _ answer: Answer, _ token: String, readBefore: Bool
    ) throws -> (MountedFeed, WrittenFeed.Item) {
      let feed = try MountedFeed()
      var item = try film(by: feed)
      item.token = "?\(token)=\(Int(time(nil)) - 5)"
      var written = WrittenFeed(pages: [[item]])
      try written.serve(by: feed)
      if !readBefore { try answer.fault(of: feed.origin) }
      try feed.mount(written.path, options: ["--sizes", "open"])
      if readBefore {
        let file = try MountedFile(feed.path(1))
        #expect(try file.read(0..<4096) == Pattern.bytes(0..<4096, seed: item.file.seed))
        try answer.fault(of: feed.origin)
      }
      written.pages[0][0].media = Self.new
      written.pages[0][0].token = "?\(token)=\(Int(time(nil)) + 600)"
      try written.serve(by: feed)
      return (feed, item)
    }

    @Test(arguments: Answer.allCases)
    func whatWasReadBeforeIsAskedForAnew(answer: Answer) throws {
      let (feed, item) = try expired(answer, "t", readBefore: true)
      let asked = try feed.origin.log(below: "/written").count
      let far = 3 << 20..<(3 << 20) + 4096

      #expect(try MountedFile(feed.path(1)).read(far) == Pattern.bytes(far, seed: item.file.seed))
      #expect(try feed.origin.log(below: "/written").count == asked + 1)
    }

    @Test(arguments: [Answer.badRequest, .loginPage])
    func anAddressThatSaysWhenItExpiresIsAskedForAnewBeforeItWasRead(answer: Answer) throws {
      let (feed, item) = try expired(answer, "Expires", readBefore: false)

      #expect(
        try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<item.size, seed: item.file.seed))
    }

    /// A program that looks at each of many films that are gone waits for none of them.
    @Test func filmsThatAreGoneCostAScanNoTime() throws {
      let feed = try MountedFeed()
      let items = (1...8).map { WrittenFeed.Item($0) }
      let written = WrittenFeed(pages: [items])
      try written.serve(by: feed)
      try feed.mount(written.path, options: ["--sizes", "open"])
      try feed.origin.fault(.status, below: "/pattern/", ["code": "404"])
      let asked = try feed.origin.log(below: "/written").count
      let start = ContinuousClock.now

      for _ in 0..<2 {
        for number in 1...8 { #expect(try feed.failure(ofReading: feed.path(number)) == EIO) }
      }
      #expect(ContinuousClock.now - start < Figure.renewalPause.time.here)
      #expect(try feed.origin.log(below: "/written").count == asked + 1)
    }
  }
}
