import Control
import Foundation
import TestSupport
import Testing

extension Promises {
  /// No picture and no sound of a mounted film is lost or changed, wherever its segments were cut.
  @Suite(
    .timeLimit(.minutes(15)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct CutMountTests {
    /// A film of which an entry was made, with its segments cut in one way.
    private struct Entry {
      let film: TransportFilm
      let cut: TransportFilm.Cut
      /// The folder of the film itself.
      let source: String
    }

    /// Writes the segments of a film and their playlist.
    private func write(_ bytes: [UInt8], _ places: [Int], below folder: String) throws {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      var list = "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:\(TransportFilm.seconds)\n"
      var start = 0
      for (number, end) in (places + [bytes.count]).enumerated() where end > start {
        let share = Double(end - start) / Double(bytes.count)
        list += "#EXTINF:\(share * Double(TransportFilm.seconds)),\ns\(number).ts\n"
        try Data(bytes[start..<end]).write(to: URL(filePath: folder + "/s\(number).ts"))
        start = end
      }
      try Data((list + "#EXT-X-ENDLIST\n").utf8).write(to: URL(filePath: folder + "/v.m3u8"))
    }

    /// Makes all entries at the origin, and mounts them.
    private func mount(_ films: [TransportFilm], _ feed: MountedFeed) throws -> [Entry] {
      var entries: [Entry] = []
      var items = ""
      for (number, film) in films.enumerated() {
        let source = feed.media + "/\(number)"
        try FileManager.default.createDirectory(
          atPath: source, withIntermediateDirectories: true)
        let bytes = try film.make(in: source)
        var random = SeededRandom(seed: 11)
        for cut in TransportFilm.Cut.allCases {
          try write(bytes, cut.places(in: bytes, &random), below: source + "/\(cut)")
          entries.append(Entry(film: film, cut: cut, source: source))
          items += """
            <item><guid>\(entries.count)</guid><title>\(entries.count)</title><enclosure length="0"
            type="application/x-mpegurl" url="\(feed.origin.url("/files/\(number)/\(cut)/v.m3u8"))"/>
            </item>
            """
        }
      }
      try feed.origin.put(
        "<rss version=\"2.0\"><channel><title>t</title>\(items)</channel></rss>", at: "/feed",
        type: "application/rss+xml")
      try feed.mount("/feed")
      return entries
    }

    /// A run has some of the films, and a full count has all. There is one mount for all of them.
    @Test func picturesAndSoundsAreThoseOfTheOrigin() throws {
      let feed = try MountedFeed()
      let entries = try mount(Scale.cases(6, of: TransportFilm.all), feed)
      let names = try feed.names(in: "")
      var known: [String: [DecodedFrame.Kind: [DecodedFrame]]] = [:]
      /// Decodes a file of the origin, once for all cuts of it.
      func frames(of path: String, _ film: TransportFilm) throws -> [DecodedFrame.Kind:
        [DecodedFrame]]
      {
        if let made = known[path] { return made }
        let made = try DecodedFrame.all(film.kinds, of: ["-i", path], isStrict: false)
        known[path] = made
        return made
      }
      for (number, entry) in entries.enumerated() {
        let digits = String(number + 1)
        let prefix = String(repeating: "0", count: 4 - digits.count) + digits + ".mk"
        let name = try #require(names.first { $0.hasPrefix(prefix) })
        let (film, words) = (entry.film, "\(entry.film), cut at \(entry.cut)")
        let path = feed.mountPoint + "/" + name
        guard let own = try? DecodedFrame.all(film.kinds, of: ["-i", path]) else {
          let failure = try feed.details(of: path).file.failure?.what
          Issue.record("\(words) cannot be decoded: \(failure ?? "")")
          continue
        }
        let given = try frames(of: entry.source + "/origin.ts", film)
        // Where packets tell no times, those are the times of the source.
        let told = try frames(of: entry.source + "/source.ts", film)
        var shifts: [Double] = []
        for kind in film.kinds {
          let (own, given, told) = (own[kind] ?? [], given[kind] ?? [], told[kind] ?? [])
          #expect(own.map(\.hash) == given.map(\.hash), "\(words), \(kind): \(own.count)")
          guard own.count == told.count, own.count > 40 else {
            Issue.record("\(words), \(kind): \(own.count) for \(told.count)")
            continue
          }
          let shift = own.shift(from: told)
          shifts.append(shift.seconds)
          #expect(shift.worst < 0.0011, "\(words), \(kind): off by \(shift.worst)")
        }
        #expect(abs((shifts.first ?? 0) - (shifts.last ?? 0)) < 0.0016, "\(words): \(shifts)")
      }
    }
  }
}
