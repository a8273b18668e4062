import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A media server finds the films of a listing once, under their own names, and with their sizes. It
  /// is the real one: `make real` runs these tests.
  @Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: canMount && getenv("FEEDFS_REAL") != nil && isInstalled("minidlnad")),
    .enabled(if: isInstalled("ffmpeg"), "ffmpeg is not installed"))
  struct ScannerTests {
    private static let films = ["My.Show.S01E01.1080p.mp4", "My.Show.S01E02.1080p.mp4", "talk.mkv"]

    /// A film that the server has found, as `players.py` tells it.
    private struct Found: Decodable, Hashable {
      let name: String
      let title: String
      let size: Int
    }

    private func site(_ kind: ServerKind) throws -> (feed: MountedFeed, server: ListingServer) {
      let feed = try MountedFeed()
      chmod(feed.media, 0o755)
      for (place, name) in Self.films.enumerated() {
        let words = [
          "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=160x120:d=\(3 + place)",
          feed.media + "/" + name,
        ]
        let outcome = try ChildProcess.run(words, timeout: .seconds(60))
        try #require(outcome.status == 0, "\(outcome.err)")
      }
      let subtitles = "printf 'WEBVTT\\n\\n00:00.000 --> 00:01.000\\nhello\\n' >\"$1\""
      _ = try ChildProcess.run(["sh", "-c", subtitles, "sh", feed.media + "/talk.en.vtt"])
      return (feed, try ListingServer(kind, of: feed))
    }

    private func scan(_ feed: MountedFeed) throws -> [Found] {
      let folder = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
      let outcome = try ChildProcess.run(
        ["/usr/bin/python3", folder + "/Real/players.py", "minidlna", "scan", feed.mountPoint],
        environment: ["HOME": feed.folder], timeout: .seconds(120))
      guard outcome.status == 0 else { throw TestToolError(outcome.err) }
      return try Wire.decode([Found].self, from: Array(outcome.out.utf8)).sorted {
        $0.name < $1.name
      }
    }

    @Test(arguments: ServerKind.there)
    func eachFilmIsFoundOnceByItsNameAndWithItsSize(kind: ServerKind) throws {
      let (feed, server) = try site(kind)
      try feed.mount(server.url, options: [])
      let atFirst = try scan(feed)
      #expect(atFirst.map(\.name) == Self.films)
      #expect(atFirst.allSatisfy { $0.size > 0 && $0.name.hasPrefix($0.title) }, "\(atFirst)")
      func sizes(in folder: String) throws -> [Int] {
        try Self.films.map { name in
          var facts = stat()
          guard stat("\(folder)/\(name)", &facts) == 0 else { throw TestToolError(name) }
          return Int(facts.st_size)
        }
      }
      let truth = try sizes(in: feed.media)
      #expect(try eventually { try sizes(in: feed.mountPoint) == truth })
      #expect(try scan(feed).map(\.size) == truth)
    }
  }
}
