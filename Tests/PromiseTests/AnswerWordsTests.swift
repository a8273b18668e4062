import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Answers are read by their own words, and bytes count more than labels.
  @Suite(.timeLimit(.minutes(4))) struct AnswerWordsTests {
    /// One way in which an origin answers for a film.
    struct Words: CustomTestStringConvertible, Sendable {
      let name: String
      var fault: OriginFault?
      var by = 0
      var type = "video/webm"
      var fields: [String: String] = ["ETag": "\"v\""]

      var testDescription: String { name }

      static func fault(_ fault: OriginFault, by: Int = 0) -> Words {
        Words(name: by > 0 ? "\(fault) \(by)" : "\(fault)", fault: fault, by: by)
      }

      static func type(_ type: String) -> Words { Words(name: "called \(type)", type: type) }

      static func coding(_ word: String) -> Words {
        Words(
          name: "coded as \(word)", fields: ["ETag": "\"v\"", "Content-Encoding": word])
      }
    }

    private static let kinds: [Words] =
      [
        .fault(.partas200), .fault(.shortpart, by: 1_000_001), .fault(.shortpart, by: 65_536),
        .fault(.shortpart, by: 16_384), .fault(.longpart, by: 1), .fault(.longpart, by: 100_000),
        .fault(.ifrange200), .fault(.strict416), .fault(.chunked),
      ]
      + [
        "text/html; charset=UTF-8", "application/json", "image/jpeg", "application/zip", "text/xml",
        "application/x-mpegurl", "text/plain",
      ].map(Words.type)
      + ["none", "utf-8", "binary", "7bit", "aws-chunked", "identity, aws-chunked"].map(
        Words.coding)
      + [Words(name: "dated now", fields: ["ETag": ""])]

    private static let size = 3 << 20
    /// Begins as a WebM does.
    private static let film = [0x1A, 0x45, 0xDF, 0xA3] + Pattern.bytes(4..<size, seed: 5)

    private func feed(_ drive: DriveKind, _ words: Words, _ film: [UInt8] = film) throws
      -> any Drive
    {
      let feed = try drive.drive()
      try feed.origin.put(film, at: "/film.mp4", type: words.type, headers: words.fields)
      if let fault = words.fault {
        try feed.origin.fault(fault, below: "/film.mp4", ["by": "\(words.by)"])
      }
      var entry = PatternFile(name: "film", size: film.count)
      entry.url = feed.origin.url("/film.mp4")
      try feed.serve([entry])
      return feed
    }

    @Test(
      arguments: DriveKind.cases(
        kinds,
        onKernel: [.fault(.partas200), .fault(.shortpart, by: 1_000_001), .type("text/html")]))
    func aFilmComesWholeInWhateverWordsItIsSent(on drive: DriveKind, words: Words) throws {
      let feed = try feed(drive, words)
      try feed.mount()
      let far = 2_200_000..<2_200_000 + (64 << 10)

      let reading = try feed.reading(of: feed.path(1), at: far.lowerBound)
      #expect(reading.end(.seconds(20)) == .bytes(Array(Self.film[far])))
      #expect(try feed.bytes(of: feed.path(1)) == Self.film)
      try feed.settle()
      #expect(try feed.status().files[0].failure == nil)
      // What was cached holds in the next life, with the same words.
      try feed.unmount()
      try feed.mount()
      #expect(try feed.bytes(of: feed.path(1)) == Self.film)
    }

    private static let page = Array(
      ("<!DOCTYPE html><html><head><title>Welcome</title></head><body>"
        + String(repeating: "Please log in to use this network. ", count: 500)).utf8)

    @Test(
      arguments: DriveKind.cases(
        ["video/mp4", "text/html", "application/octet-stream"], onKernel: ["video/mp4"]))
    func aPageIsNoFilmWhateverItIsCalled(on drive: DriveKind, type: String) throws {
      let feed = try feed(drive, .type(type), Self.page)
      try feed.mount(options: ["--sizes", "open"])

      #expect(try feed.failure(ofReading: feed.path(1)) == EIO)
      #expect(try feed.origin.log(below: "/film.mp4").count == 1)
      #expect(try feed.status().files[0].failure?.what.contains("page") ?? false)
    }

    @Test(arguments: DriveKind.cases([1, 1000], onKernel: [1]))
    func aServerThatSendsAlmostNothingForARequestIsToldAndAskedLittle(
      on drive: DriveKind, by: Int
    ) throws {
      let feed = try feed(drive, .fault(.shortpart, by: by))
      try feed.mount(options: ["--sizes", "open"])

      #expect(try feed.failure(ofReading: feed.path(1)) == EIO)
      #expect(try feed.origin.log(below: "/film.mp4").count <= 24)
      let what = try feed.status().files[0].failure?.what ?? ""
      #expect(what.contains("the origin sends only \(by) bytes per request"), "\(what)")
      // Once the server is mended, the film comes.
      try feed.origin.clear(below: "/film.mp4")
      var bytes: [UInt8]?
      _ = eventually {
        bytes = try? feed.bytes(of: feed.path(1))
        return bytes != nil
      }
      #expect(bytes == Self.film)
    }

    @Test(arguments: ["utf-8", "aws-chunked", "binary", "none"])
    func aFeedIsReadWhateverItsCodingIsCalled(word: String) throws {
      let feed = try DriveKind.direct.drive()
      try feed.origin.put(
        """
        <rss version="2.0"><channel><title>t</title><item><guid>1</guid><title>One</title>
        <enclosure url="\(feed.origin.url("/film.mp4"))" type="video/mp4" length="9"/></item>
        </channel></rss>
        """, at: "/feed", type: "application/rss+xml", headers: ["Content-Encoding": word])
      try feed.mount()

      #expect(try feed.entries() == [1])
      #expect(try feed.refresh().errors.isEmpty)
    }
  }
}
