import Control
import TestSupport
import Testing

extension Promises {
  /// Streams among the entries of a feed: their names, their kind, and the option that leaves them out.
  @Suite(.serialized, .timeLimit(.minutes(2))) struct StreamNameTests {
    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try feed.origin.put(
        """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>t</title>
        <item><guid>1</guid><enclosure url="\(feed.origin.url("/a.mp4"))" type="video/mp4"/></item>
        <item><guid>2</guid><media:group>
        <media:content url="\(feed.origin.url("/b.m3u8"))" height="1080"/>
        <media:content url="\(feed.origin.url("/b.mp4"))" height="720"/></media:group></item>
        <item><guid>3</guid><enclosure url="\(feed.origin.url("/c"))" type="application/dash+xml"/>
        </item></channel></rss>
        """, at: "/streams", type: "application/rss+xml")
      return feed
    }

    private func files(_ feed: any Drive) throws -> [String] {
      try feed.names().filter { $0.first == "0" }.sorted()
    }

    @Test(arguments: DriveKind.all)
    func aNewStreamIsAMatroskaAndItsStatusTellsItsKind(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/streams")
      #expect(try files(feed) == ["0001.mp4", "0002.mkv", "0003.mkv"])
      let details = try files(feed).map { try feed.details(of: "\(feed.mountPoint)/\($0)") }
      #expect(details.map(\.streamKind) == [nil, "HLS", "DASH"])
      #expect(details[1].choice == "1080 lines, the most of 2 forms")
    }

    /// The names were given by what was played first. They stay when the option is given later.
    @Test(arguments: DriveKind.all)
    func withoutStreamsTheyAreLeftOutAndNamesStay(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/streams", options: ["--streams", "off"])
      #expect(try files(feed) == ["0001.mp4", "0002.mp4"])
      try feed.unmount()

      try feed.mount("/streams", options: ["--languages", "en"])
      // The list of before is there until the feed was read again.
      _ = try eventually { try files(feed).count == 3 }
      #expect(try files(feed) == ["0001.mp4", "0002.mp4", "0003.mkv"])
      #expect(try feed.details(of: "\(feed.mountPoint)/0002.mp4").streamKind == "HLS")
    }
  }
}
