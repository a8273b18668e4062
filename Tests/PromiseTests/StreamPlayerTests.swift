import Control
import Glibc
import TestSupport
import Testing

/// A shape of a stream, as `Tests/Real/films.sh` packs it.
enum PlayedShape: String, CaseIterable, Sendable {
  /// Picture and sound apart, with an index each, in a DASH manifest.
  case pair
  /// One fragmented MP4 with its playlist beside it, as PeerTube publishes it.
  case muxed
  /// Picture and sound in a fragmented MP4 each, in a master playlist, as PeerTube publishes it.
  case split
  /// HLS with MPEG transport streams.
  case ts

  /// The inside of a feed's item.
  func item(at url: (String) -> String) -> String {
    func enclosure(_ name: String, _ type: String) -> String {
      "<enclosure url=\"\(url("/files/film/\(rawValue)/\(name)"))\" type=\"\(type)\" length=\"0\"/>"
    }
    let list = "application/x-mpegURL"
    return switch self {
    case .pair: enclosure("film.mpd", "application/dash+xml")
    case .split, .ts: enclosure("film.m3u8", list)
    case .muxed:
      enclosure("film-360-fragmented.mp4", "video/mp4")
        + "<podcast:alternateEnclosure type=\"\(list)\"><podcast:source uri=\""
        + url("/files/film/muxed/film.m3u8") + "\"/></podcast:alternateEnclosure>"
    }
  }
}

/// A program that people play films with, as `Tests/Real/players.py` drives it.
enum FilmProgram: String, CaseIterable, Sendable {
  case ffprobe, ffmpeg, mpv, vlc, gstreamer, mkvmerge, mediainfo, ffmpegthumbnailer, chromium, kodi
  case minidlna, gerbera

  /// Where `players.py` and its films are.
  static let folder =
    "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Real"

  var isThere: Bool {
    switch self {
    case .gstreamer:
      let probe = "import gi; gi.require_version('Gst', '1.0')"
      return (try? ChildProcess.run(["/usr/bin/python3", "-c", probe]))?.status == 0
    case .chromium: return isInstalled("chromedriver")
    case .kodi: return isInstalled("kodi") && isInstalled("Xvfb")
    case .minidlna: return isInstalled("minidlnad")
    default: return isInstalled(rawValue)
    }
  }

  /// Plays a film at its pace until `seconds`. Returns the place, in seconds, that the program tells.
  func watch(_ film: String, for seconds: Int, home: String) throws -> Double {
    struct Answer: Decodable { let places: [Place] }
    struct Place: Decodable {
      let time: Double

      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        _ = try list.decode(Int?.self)
        time = try list.decode(Double.self)
      }
    }
    let outcome = try ChildProcess.run(
      [
        "/usr/bin/python3", Self.folder + "/players.py", rawValue, "watch", film, "\(seconds)",
      ], environment: ["HOME": home], timeout: .seconds(100))
    guard outcome.status == 0 else { throw TestToolError(outcome.err) }
    let answer = try Wire.decode(Answer.self, from: Array(outcome.out.utf8))
    guard let place = answer.places.first else { throw TestToolError("no place") }
    return place.time
  }

  /// The pictures by which it may miss a place, beside what it always misses.
  var inexactness: Int {
    switch self {
    // It shows a picture from which decoding can begin: there is one in 100.
    case .ffmpegthumbnailer: 101
    // Those of a plain file on the disk vary as much.
    case .vlc: 4
    default: 0
    }
  }

  /// The megabytes that ten seeks may cost; nil where nothing was measured before.
  ///
  /// A browser fills a buffer of its own after each seek: 18 to 56 MB were measured for one. GStreamer
  /// reads ahead as fast as the machine lets it: 45 to 84 MB of a film of 235.
  var megabytes: Double? {
    switch self {
    case .ffmpeg: 45
    case .gstreamer: 120
    case .chromium: 280
    default: nil
    }
  }
}

extension Promises {
  /// Players, thumbnailers, a browser and media servers take a film that is made of a stream. They
  /// are the real ones: `make real` runs these tests, because the programs are large.
  @Suite(
    .serialized, .timeLimit(.minutes(10)), .enabled(if: canMount && getenv("FEEDFS_REAL") != nil))
  struct StreamPlayerTests {
    /// The programs of this run: the one that `FEEDFS_PROGRAM` names, else all that are installed.
    private static let there = FilmProgram.allCases.filter { program in
      let named = getenv("FEEDFS_PROGRAM").map { String(cString: $0) }
      return named ?? program.rawValue == program.rawValue && program.isThere
    }
    private static let lookers: [FilmProgram] = [
      .ffprobe, .mkvmerge, .mediainfo, .minidlna, .gerbera,
    ]
    private static let players: [FilmProgram] = [.ffmpeg, .mpv, .vlc, .gstreamer, .chromium]

    /// The answer of `players.py`.
    private struct Outcome: Decodable {
      struct Place: Decodable {
        let picture: Int?
        let time: Double

        init(from decoder: any Decoder) throws {
          var list = try decoder.unkeyedContainer()
          picture = try list.decode(Int?.self)
          time = try list.decode(Double.self)
        }
      }

      var duration: Double?
      var tracks: Int?
      var pictures: Int?
      var places: [Place]?
      var apart: Double?
      var said: String
    }

    /// Mounts a feed with one film.
    private func mount(_ shape: PlayedShape, _ film: String) throws -> MountedFeed {
      let feed = try MountedFeed()
      // VLC refuses to run as root.
      chmod(feed.folder, 0o755)
      let source = "\(FilmProgram.folder)/films/\(film)/."
      mkdir(feed.media + "/film", 0o755)
      // Another name of the same files, where they lie on one disk.
      let script = "cp -rl \"$1\" \"$2\" 2>\"$3\" || cp -r \"$1\" \"$2\""
      _ = try ChildProcess.run(
        ["sh", "-c", script, "sh", source, feed.media + "/film", "/dev/null"],
        timeout: .seconds(60))
      try feed.origin.put(
        """
        <rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel>
        <title>Films</title><item><title>A film</title>\(shape.item(at: feed.origin.url))</item>
        </channel></rss>
        """, at: "/films", type: "application/rss+xml")
      try feed.mount("/films", options: ["--allow-other"])
      return feed
    }

    private func film(_ feed: MountedFeed) throws -> String {
      let name = try feed.names(in: "").first { $0.hasPrefix("0001.m") }
      return feed.mountPoint + "/" + (try #require(name))
    }

    private func run(
      _ program: FilmProgram, _ action: String, _ feed: MountedFeed, _ places: [Int] = []
    ) throws -> Outcome {
      // Media servers ask for the size before they open a file.
      if [.minidlna, .gerbera].contains(program) {
        _ = try MountedFile(film(feed)).read(0..<1)
      }
      let words = [
        "/usr/bin/python3", FilmProgram.folder + "/players.py", program.rawValue, action,
      ]
      let outcome = try ChildProcess.run(
        words + [film(feed)] + places.map(String.init), environment: ["HOME": feed.folder],
        timeout: .seconds(240))
      guard outcome.status == 0 else { throw TestToolError(outcome.err) }
      return try Wire.decode(Outcome.self, from: Array(outcome.out.utf8))
    }

    private func megabytes(_ feed: MountedFeed) throws -> Double {
      try Double(feed.origin.log(below: "/files/film/").map(\.bytesSent).reduce(0, +)) / 1e6
    }

    @Test(arguments: there.filter(lookers.contains), PlayedShape.allCases)
    func itsDurationAndTracksAreFound(_ program: FilmProgram, _ shape: PlayedShape) throws {
      let feed = try mount(shape, "long")
      let found = try run(program, "look", feed)
      #expect(abs((found.duration ?? 0) - 1200) < 1.1 && found.tracks == 2, "\(found)")
      #expect(found.said.isEmpty, "\(found.said)")
      // Media servers read films by libavformat, in a program of their own.
      let most: [FilmProgram: Double] = [.ffprobe: 3.6, .mkvmerge: 4.5, .mediainfo: 5.2]
      #expect(try megabytes(feed) < most[program, default: 25])
    }

    /// The places are between the key pictures, in any order. Two neighbours have other numbers.
    @Test(arguments: there.filter { !lookers.contains($0) }, PlayedShape.allCases)
    func itSeeksToTenPlacesForwardAndBack(_ program: FilmProgram, _ shape: PlayedShape) throws {
      let places = [642, 102, 1098, 130, 862, 301, 1190, 21, 722, 450]
      let feed = try mount(shape, "long")
      let found = try run(program, "seek", feed, program == .kodi ? [642, 102, 450] : places)
      #expect(found.said.isEmpty, "\(found.said)")
      #expect(abs((found.duration ?? 1200) - 1200) < 1.1 && found.tracks ?? 2 == 2, "\(found)")
      #expect(found.apart ?? 0 < 0.05)
      let all = try #require(found.places)
      if program != .kodi {
        #expect(all.count == places.count)
        // The times of a film may begin some pictures behind 0: each program has its own view of it.
        let misses = try zip(all, places).map { shown, place in
          (try #require(shown.picture) - place * 25 + 10 * 3000 + 1500) % 3000 - 1500
        }
        let (least, most) = (misses.min() ?? 0, misses.max() ?? 0)
        #expect(most - least <= program.inexactness, "\(misses)")
        #expect(least >= -3 && most <= 3 + program.inexactness, "\(misses)")
      }
      let fetched = try megabytes(feed)
      if let most = program.megabytes { #expect(fetched <= most) }
    }

    @Test(arguments: there.filter { players.contains($0) || $0 == .mkvmerge }, PlayedShape.allCases)
    func itPlaysFromBeginningToEnd(_ program: FilmProgram, _ shape: PlayedShape) throws {
      let feed = try mount(shape, "short")
      let found = try run(program, "play", feed)
      #expect(found.said.isEmpty, "\(found.said)")
      if program == .mkvmerge { return }
      let pictures = try #require(found.pictures)
      // Chromium leaves out pictures when they are late, and it plays faster than the film.
      let least = program == .chromium ? 480 : 600
      #expect(least...603 ~= pictures, "\(pictures)")
      #expect(try feed.status().files[0].state == .complete)
    }
  }
}
