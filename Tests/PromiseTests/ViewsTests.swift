import Glibc
import TestSupport
import Testing

extension Promises {
  /// The views for people: titles, subtitles, descriptions, the listing as JSON.
  @Suite(.serialized, .timeLimit(.minutes(3))) struct ViewsTests {
    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
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
      return feed
    }

    @Test(arguments: DriveKind.all)
    func titlesLeadToTheEntriesAndToWhatLiesBesideThem(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/written")
      let links = try feed.names(in: "by-title").sorted()
      #expect(
        links == [
          "2026-07-24 A talk: caches\u{29F8}and more (2).mp4",
          "2026-07-24 A talk: caches\u{29F8}and more.de.srt",
          "2026-07-24 A talk: caches\u{29F8}and more.en.vtt",
          "2026-07-24 A talk: caches\u{29F8}and more.fr.vtt",
          "2026-07-24 A talk: caches\u{29F8}and more.mp4",
        ])
      let titles = feed.mountPoint + "/by-title/"
      let targets = try links.map { try feed.target(ofLink: titles + $0) }
      #expect(
        targets == [
          "../0002.mp4", "../0001.de.srt", "../0001.en.vtt", "../0001.fr.vtt", "../0001.mp4",
        ])
      #expect(try feed.open(titles + links[0]).facts().size == 300_001)
    }

    @Test(arguments: DriveKind.all)
    func subtitlesAreFetchedWhenTheyAreOpenedAndKept(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/written", options: ["--sizes", "open"])
      #expect(try feed.origin.log().allSatisfy { $0.path == "/written" })
      let path = feed.mountPoint + "/0001.en.vtt"
      #expect(try feed.text(of: path).hasPrefix("WEBVTT\n"))
      #expect(try feed.look(at: path).size == 38)
      #expect(try feed.text(of: feed.mountPoint + "/0001.de.srt") == "1\n")
      try feed.unmount()
      feed.origin.stop()
      try feed.mount("/written")
      #expect(try feed.text(of: path).hasPrefix("WEBVTT\n"))
    }

    @Test(arguments: DriveKind.all)
    func subtitlesThatCannotBeHadAreNotThere(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/written")
      #expect(try feed.failure(ofReading: feed.mountPoint + "/0001.fr.vtt") == ENOENT)
      #expect(try feed.bytes(of: feed.path(1)).count == 300_000)
    }

    @Test(arguments: DriveKind.all)
    func aSubtitleThatDoesNotArriveInTimeIsNotThere(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.origin.fault(.stall, below: "/en.vtt")
      try feed.mount("/written")
      let (failure, time) = try measured("a subtitle that does not arrive") {
        try feed.failure(ofReading: feed.mountPoint + "/0001.en.vtt")
      }
      #expect(failure == ENOENT)
      #expect(time > Figure.sidecar.time && time < (Figure.sidecar.time + .seconds(2)).here)
      try feed.origin.clear(resume: true)
    }

    @Test(arguments: DriveKind.all)
    func descriptionsAndPicturesLieBesideTheEntriesWhereTheyAreWanted(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/written", options: ["--sidecars", "nfo"])
      let names = try feed.names()
      #expect(names.contains("0001.nfo") && !names.contains("0001.en.vtt"))
      let nfo = try feed.text(of: feed.mountPoint + "/0001.nfo")
      #expect(nfo.contains("<title>A talk: caches/and more</title>"))
    }

    @Test(arguments: DriveKind.all)
    func theListingIsThereAsJSONWithoutSecrets(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      var item = WrittenFeed.Item(1)
      item.token = "&secret=1"
      try WrittenFeed(pages: [[item]], path: "/tokens").serve(by: feed)
      try feed.mount("/tokens")
      let text = try feed.text(of: feed.mountPoint + "/.feedfs/feed.json")
      #expect(text.contains("\"0001.mp4\"") && !text.contains("secret"))
    }
  }
}
