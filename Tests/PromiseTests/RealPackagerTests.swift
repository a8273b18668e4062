import Control
import Foundation
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Each film that shaka's packager packs has no hole, or is refused with its reason. The packager is
  /// the real one: `make real` runs these tests, because it comes from PyPI.
  @Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: canMount && getenv("FEEDFS_REAL") != nil && isInstalled("packager")),
    .enabled(if: isInstalled("ffmpeg"), "ffmpeg is not installed"))
  struct RealPackagerTests {
    typealias Frames = [DecodedFrame.Kind: [DecodedFrame]]

    /// Some shapes below one mount.
    private struct Site {
      let feed: MountedFeed
      let shapes: [PackagedShape]
      let names: [String]

      func folder(_ number: Int) -> String { feed.media + "/\(number)" }

      /// The name of a film in the mount.
      func film(_ number: Int) throws -> String {
        let digits = String(number + 1)
        let prefix = String(repeating: "0", count: 4 - digits.count) + digits + ".mk"
        return try #require(names.first { $0.hasPrefix(prefix) })
      }
    }

    private func pack(_ shape: PackagedShape, in folder: String, sources: String) throws {
      mkdir(folder, 0o755)
      let script = "cd \"$0\" && ln \"$1\"/* . && shift && exec packager --quiet \"$@\""
      let outcome = try ChildProcess.run(
        ["sh", "-c", script, folder, sources] + shape.words, timeout: .seconds(60))
      guard outcome.status == 0 else { throw TestToolError("\(shape.name): \(outcome.err)") }
    }

    private func mount(_ shapes: [PackagedShape], options: [String] = []) throws -> Site {
      let feed = try MountedFeed()
      let sources = feed.folder + "/sources"
      mkdir(sources, 0o755)
      try PackagedSource.writeKeyAndWords(in: sources)
      for source in Set(shapes.map(\.source)).union([.film, .small]) {
        try source.make(in: sources)
      }
      var items = ""
      for (number, shape) in shapes.enumerated() {
        try pack(shape, in: feed.media + "/\(number)", sources: sources)
        let type = shape.entry.hasSuffix("mpd") ? "application/dash+xml" : "application/x-mpegurl"
        items += """
          <item><guid>\(number)</guid><title>\(number)</title><enclosure length="0" type="\(type)"
          url="\(feed.origin.url("/files/\(number)/\(shape.entry)"))"/></item>
          """
      }
      try feed.origin.put(
        "<rss version=\"2.0\"><channel><title>t</title>\(items)</channel></rss>", at: "/feed",
        type: "application/rss+xml")
      try feed.mount("/feed", options: options)
      return Site(feed: feed, shapes: shapes, names: try feed.names(in: ""))
    }

    /// Decodes each track by itself: where they are apart, ffmpeg moves one to the other's beginning.
    private func frames(
      _ kinds: [DecodedFrame.Kind], of input: [String], isStrict: Bool = true
    ) throws -> Frames {
      var all: Frames = [:]
      for kind in kinds {
        all[kind] = try DecodedFrame.all([kind], of: input, isStrict: isStrict)[kind]
      }
      return all
    }

    /// Returns what ffmpeg makes of the origin, or of the source.
    private func truth(_ shape: PackagedShape, _ number: Int, _ site: Site) throws -> Frames {
      let source = ["-i", site.folder(number) + "/" + shape.source.file]
      switch shape.outcome {
      case .film:
        let isList = shape.entry.hasSuffix("m3u8")
        let address = site.feed.origin.url("/files/\(number)/\(shape.entry)")
        let words = (isList ? ["-allowed_extensions", "ALL"] : []) + ["-i", address]
        return try frames(kinds(shape), of: words, isStrict: false)
      case .second:
        var all = try DecodedFrame.all([.picture], of: source)
        all[.sound] = try DecodedFrame.all([.sound], of: source, track: 1)[.sound]
        return all
      case .source, .refused: return try frames(kinds(shape), of: source)
      }
    }

    private func kinds(_ shape: PackagedShape) -> [DecodedFrame.Kind] {
      let words = shape.words.joined(separator: " ")
      return (words.contains("stream=video") ? [.picture] : [])
        + (words.contains("stream=audio") ? [.sound] : [])
    }

    /// Holds a film against the truth: the same pictures and sounds, at the same times.
    private func compare(_ shape: PackagedShape, _ number: Int, _ site: Site) throws {
      let path = try site.feed.mountPoint + "/" + site.film(number)
      let own = try frames(kinds(shape), of: ["-i", path])
      let truth = try truth(shape, number, site)
      var shifts: [Double] = []
      for kind in kinds(shape) {
        let (other, given) = (own[kind] ?? [], truth[kind] ?? [])
        // The sound that a decoder makes before the first that is heard may be there or not.
        let surplus = kind == .sound ? min(1, max(-1, other.count - given.count)) : 0
        // Of a source, which tells where its sound begins, the first piece may be cut.
        let cut = if case .source = shape.outcome, kind == .sound { 1 } else { 0 }
        let made = Array(other.dropFirst(max(0, surplus) + cut))
        let told = Array(given.dropFirst(max(0, -surplus) + cut))
        #expect(made.map(\.hash) == told.map(\.hash), "\(shape.name), \(kind): \(made.count)")
        guard made.count == told.count, made.count > 100 else {
          Issue.record("\(shape.name), \(kind): \(made.count) for \(told.count)")
          continue
        }
        let shift = made.shift(from: told)
        shifts.append(shift.seconds)
        #expect(shift.worst < 0.0011, "\(shape.name), \(kind): off by \(shift.worst)")
      }
      #expect(abs((shifts.first ?? 0) - (shifts.last ?? 0)) < 0.0016, "\(shape.name): \(shifts)")
      if shape.hasText { try compareText(shape, number, site) }
    }

    /// Words are at their times, but for the little by which a film begins with its sound.
    private func compareText(
      _ shape: PackagedShape, _ number: Int, _ site: Site
    ) throws {
      let name = try String(site.film(number).dropLast(3)) + "en.vtt"
      let text = try ChildProcess.run(["cat", site.feed.mountPoint + "/" + name]).out
      #expect(text.contains("Hello") && text.contains("Good bye"), "\(shape.name): \(text)")
      let starts = text.matches(of: #/00:0([0-9.]+) --> /#).compactMap { Double($0.1) }
      #expect(
        starts.count == 2 && zip(starts, [1, 5]).allSatisfy { abs($0 - $1) < 0.05 }, "\(text)")
    }

    private func check(_ shapes: [PackagedShape], options: [String] = []) throws {
      let site = try mount(shapes, options: options)
      for (number, shape) in shapes.enumerated() {
        guard case .refused(let words) = shape.outcome else {
          try compare(shape, number, site)
          continue
        }
        let film = try site.feed.mountPoint + "/" + site.film(number)
        let copy = try ChildProcess.run(["cat", film], timeout: .seconds(60))
        #expect(copy.status != 0 && copy.out.isEmpty, "\(shape.name)")
        let said = try site.feed.details(of: film).file.failure?.what ?? ""
        #expect(!said.isEmpty && said.contains(words), "\(shape.name): \(said)")
      }
    }

    @Test func manifestsAreFilmsOrAreRefused() throws { try check(PackagedShape.manifests) }

    @Test func playlistsAreFilmsOrAreRefused() throws { try check(PackagedShape.playlists) }

    @Test func transportStreamsAreFilmsOrAreRefused() throws { try check(PackagedShape.streams) }

    @Test func theWantedLanguageAndTheBestPictureAreRead() throws {
      try check(PackagedShape.languages, options: ["--languages", "de"])
    }

    @Test func wordsLieBesideTheFilm() throws { try check(PackagedShape.texts) }
  }
}
