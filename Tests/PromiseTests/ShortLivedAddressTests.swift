import Glibc
import TestSupport
import Testing

extension Promises {
  /// A feed whose addresses live for seconds.
  @Suite(.timeLimit(.minutes(1)), .enabled(if: canMount))
  struct ShortLivedAddressTests {
    @Test func anAddressThatExpiresRightAfterTheFeedWasReadIsAskedForAgain() throws {
      let feed = try MountedFeed()
      var item = WrittenFeed.Item(1)
      item.size = 4 << 20
      item.token = "&token=1"
      var written = WrittenFeed(pages: [[item]])
      try written.serve(by: feed)
      try feed.mount(written.path)
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).status == 0)
      let file = try MountedFile(feed.path(1))
      #expect(try file.read(0..<4096) == Pattern.bytes(0..<4096, seed: item.file.seed))

      // The address that the feed gave just now has expired.
      written.pages[0][0].token = "&token=2"
      try written.serve(by: feed)
      try feed.origin.fault(
        .status, below: item.file.path + "&token=1", ["code": "403"])

      let far = 3 << 20..<(3 << 20) + 4096
      #expect(try file.read(far) == Pattern.bytes(far, seed: item.file.seed))
    }
  }
}
