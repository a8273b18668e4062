import Control
import TestSupport
import Testing

extension Promises {
  /// The views for people: titles, subtitles, descriptions, the listing as JSON.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct ViewsTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.origin.put(
        "WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n", at: "/en.vtt", type: "text/vtt")
      try feed.origin.put("1\n", at: "/de.srt", type: "application/x-subrip")
      var item = WrittenFeed.Item(1)
      item.title = "A talk: caches/and more"
      item.more = """
        <podcast:transcript url="\(feed.origin.url("/en.vtt"))" type="text/vtt" language="en"/>
        <podcast:transcript url="\(feed.origin.url("/de.srt"))" type="application/x-subrip"
          language="de-AT"/>
        <podcast:transcript url="\(feed.origin.url("/gone.vtt"))" type="text/vtt" language="fr"/>
        """
      var twin = item
      twin.id = "twin"
      twin.more = ""
      twin.size += 1
      try WrittenFeed(pages: [[item, twin]]).serve(by: feed)
    }

    @Test func titlesLeadToTheEntriesAndToWhatLiesBesideThem() throws {
      try feed.mount("/written")
      let links = try lines("ls", feed.mountPoint + "/by-title")
      #expect(
        links == [
          "2026-07-24 A talk: caches\u{29F8}and more (2).mp4",
          "2026-07-24 A talk: caches\u{29F8}and more.de.srt",
          "2026-07-24 A talk: caches\u{29F8}and more.en.vtt",
          "2026-07-24 A talk: caches\u{29F8}and more.fr.vtt",
          "2026-07-24 A talk: caches\u{29F8}and more.mp4",
        ])
      let targets = try links.map { try lines("readlink", feed.mountPoint + "/by-title/" + $0)[0] }
      #expect(
        targets == [
          "../0002.mp4", "../0001.de.srt", "../0001.en.vtt", "../0001.fr.vtt", "../0001.mp4",
        ])
      let size = try lines("stat", "-Lc", "%s", feed.mountPoint + "/by-title/" + links[0])
      #expect(size == ["300001"])
    }

    @Test func subtitlesAreFetchedWhenTheyAreOpenedAndKept() throws {
      try feed.mount("/written")
      #expect(try feed.origin.log().allSatisfy { $0.path == "/written" })
      let path = feed.mountPoint + "/0001.en.vtt"
      #expect(try lines("cat", path).first == "WEBVTT")
      #expect(try lines("stat", "-c", "%s", path) == ["38"])
      #expect(try lines("cat", feed.mountPoint + "/0001.de.srt") == ["1"])
      try feed.unmount()
      feed.origin.stop()
      try feed.mount("/written")
      #expect(try lines("cat", path).first == "WEBVTT")
    }

    @Test func subtitlesThatCannotBeHadAreNotThere() throws {
      try feed.mount("/written")
      let outcome = try ChildProcess.run(["cat", feed.mountPoint + "/0001.fr.vtt"])
      #expect(outcome.status == 1 && outcome.err.contains("No such file"))
      #expect(try feed.digest(of: feed.path(1)).count == 64)
    }

    @Test func descriptionsAndPicturesLieBesideTheEntriesWhereTheyAreWanted() throws {
      try feed.mount("/written", options: ["--sidecars", "nfo"])
      let names = try feed.names()
      #expect(names.contains("0001.nfo") && !names.contains("0001.en.vtt"))
      let nfo = try lines("cat", feed.mountPoint + "/0001.nfo").joined()
      #expect(nfo.contains("<title>A talk: caches/and more</title>"))
    }

    @Test func theListingIsThereAsJSONWithoutSecrets() throws {
      var item = WrittenFeed.Item(1)
      item.token = "&secret=1"
      try WrittenFeed(pages: [[item]], path: "/tokens").serve(by: feed)
      try feed.mount("/tokens")
      let text = try lines("cat", feed.mountPoint + "/.feedfs/feed.json").joined()
      #expect(text.contains("\"0001.mp4\"") && !text.contains("secret"))
    }

    private func lines(_ command: String...) throws -> [String] {
      let outcome = try ChildProcess.run(command + [])
      guard outcome.status == 0 else { throw TestToolError("\(command): \(outcome.err)") }
      return outcome.out.split(separator: "\n").map(String.init)
    }
  }
}
