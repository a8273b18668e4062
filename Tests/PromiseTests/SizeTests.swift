import Blocks
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Sizes are known before anybody asks, and until then they are no zeros.
  @Suite(.timeLimit(.minutes(5))) struct SizeTests {
    /// The files of a site, which are two films, a clip that is too short for a claim to be believed,
    /// and subtitles.
    private static let sizes = [
      "film.mp4": 1_234_567, "show.webm": 300_001, "clip.mp4": 9_000, "film.en.vtt": 700,
    ]

    private func site(_ kind: ServerKind) throws -> (feed: MountedFeed, server: ListingServer) {
      let feed = try MountedFeed()
      for (name, size) in Self.sizes {
        let content = "head -c \(size) /dev/urandom >\"$1\""
        _ = try ChildProcess.run(["sh", "-c", content, "sh", feed.media + "/" + name])
      }
      chmod(feed.media, 0o755)
      return (feed, try ListingServer(kind, of: feed))
    }

    /// The sizes of the files in a mount, in ascending order.
    private func sizes(_ feed: MountedFeed) throws -> [Int] {
      let script = "find \"$1\" -maxdepth 1 -type f ! -name playlist.m3u8 -printf '%s\\n'"
      return try ChildProcess.run(["sh", "-c", script, "sh", feed.mountPoint]).out
        .split(separator: "\n").compactMap { Int($0) }.sorted()
    }

    @Test(arguments: ServerKind.there)
    func theyAreTrueSoonAfterTheMountAndNeverAskedAgain(kind: ServerKind) throws {
      let (feed, server) = try site(kind)
      try feed.mount(server.url, options: [])
      let atFirst = try sizes(feed)
      #expect(atFirst.count == Self.sizes.count && !atFirst.contains(0), "\(kind): \(atFirst)")
      try lookedAt(feed)
      let truth = Self.sizes.values.sorted()
      let (isTrue, time) = try measured("\(kind): sizes") {
        try eventually { try sizes(feed) == truth }
      }
      let last = try sizes(feed)
      #expect(isTrue, "\(last)")
      let perSecond = Figure.sizesASecond.count
      #expect(time < Duration.seconds(Self.sizes.count) / perSecond + .seconds(2))
      func asked() throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for name in Self.sizes.keys { counts[name] = try server.requests(for: name) }
        return counts
      }
      let said = kind.tellsSizes ? 0 : 1
      let requests = ["film.mp4": said, "show.webm": said, "clip.mp4": 1, "film.en.vtt": 1]
      // lighttpd writes its log late.
      let isAskedOnce = try eventually { try asked() == requests }
      let counts = try asked()
      #expect(isAskedOnce, "\(counts)")
      try feed.unmount()
      try feed.mount(server.url, options: [])
      #expect(try sizes(feed) == truth)
      try lookedAt(feed)
      let isAskedAgain = try eventually(within: .seconds(2)) { try asked() != requests }
      #expect(!isAskedAgain)
    }

    /// Programs that only look take no file for an empty one, and a desktop finds its type.
    private func lookedAt(_ feed: MountedFeed) throws {
      let empty = """
        find "$1" -maxdepth 1 -type f -size 0; du --apparent-size -b "$1"/*.[mwv]* | grep ^0 || true
        """
      let outcome = try ChildProcess.run(["sh", "-c", empty, "sh", feed.mountPoint])
      #expect(outcome.out.isEmpty && outcome.err.isEmpty, "\(outcome)")
      guard isInstalled("gio"), access("/usr/share/mime/globs2", R_OK) == 0 else { return }
      let types = "for f in \"$1\"/*.mp4; do gio info -a standard::content-type \"$f\"; done"
      let said = try ChildProcess.run(["sh", "-c", types, "sh", feed.mountPoint]).out
      #expect(said.split(separator: "\n").count { $0.contains("content-type: video/mp4") } == 2)
    }

    /// `$1` is the mount, `$2` a new folder.
    private static let copies = [
      "cp -r \"$1\"/. \"$2\"", "rsync -rt \"$1/\" \"$2/\" >&2",
      "tar -C \"$1\" -cf - . | tar -C \"$2\" -xf -",
    ]

    /// The sizes become known while the program runs.
    @Test(arguments: ServerKind.there, copies)
    func allIsCopiedWholeFromAMountThatWasMadeJustNow(kind: ServerKind, copy: String) throws {
      guard !copy.hasPrefix("rsync") || isInstalled("rsync") else { return }
      let (feed, server) = try site(kind)
      try feed.mount(server.url, options: [])
      let folder = feed.folder + "/copy"
      let script = """
        set -e; mkdir "$2"; \(copy)
        cd "$2"; sha256sum *.mp4 *.webm *.vtt | cut -c 1-64 | sort >&3
        """
      let sums = "\(feed.folder)/sums"
      let outcome = try ChildProcess.run(
        ["sh", "-c", "exec 3>\"$3\"; \(script)", "sh", feed.mountPoint, folder, sums],
        timeout: .seconds(60))
      #expect(outcome.status == 0, "\(outcome.err)")
      let truth = try ChildProcess.run(
        ["sh", "-c", "cd \"$1\"; sha256sum * | cut -c 1-64 | sort", "sh", feed.media]).out
      #expect(try ChildProcess.run(["cat", sums]).out == truth)
    }

    @Test(
      .enabled(if: isInstalled("file"), "file(1) is not installed"), arguments: ServerKind.there)
    func noFileIsCalledEmpty(kind: ServerKind) throws {
      let (feed, server) = try site(kind)
      try feed.mount(server.url, options: [])
      let outcome = try ChildProcess.run([
        "sh", "-c", "file \"$1\"/*.[mwv]*", "sh", feed.mountPoint,
      ])
      #expect(outcome.status == 0 && !outcome.out.contains("empty"), "\(outcome.out)")
    }

    // MARK: Politeness

    private func unsized(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try feed.serve((1...6).map { PatternFile(name: "a\($0)", size: 300_000, claim: .none) })
      return feed
    }

    private func areKnown(_ feed: any Drive) throws -> Bool {
      try (1...6).allSatisfy { try feed.look(at: feed.path($0)).size == 300_000 }
    }

    /// Waits for a request for media, for longer than it takes until the next one would come.
    private func isAsked(_ feed: any Drive) throws -> Bool {
      let before = try feed.mediaRequests().count
      return try eventually(within: .seconds(2)) { try feed.mediaRequests().count > before }
    }

    @Test(arguments: DriveKind.all) func nothingIsAskedInAPauseOrOffline(on drive: DriveKind) throws
    {
      let feed = try unsized(on: drive)
      try feed.mount()
      try #require(try eventually { try !feed.mediaRequests().isEmpty })
      for mode in [NetworkMode.paused, .offline] {
        try feed.turn(mode)
        #expect(try !isAsked(feed))
        #expect(try feed.look(at: feed.path(1)).size > 0)
      }
      try feed.turn(.online)
      #expect(try isAsked(feed))
      #expect(try eventually { try areKnown(feed) })
    }

    @Test(arguments: DriveKind.all) func anOriginThatIsBusyIsLeftAlone(on drive: DriveKind) throws {
      let feed = try unsized(on: drive)
      try feed.origin.fault(.status, below: "/pattern/", ["code": "429", "retry_after": "1"])
      try feed.mount()
      try #require(try eventually { try !feed.mediaRequests().isEmpty })
      #expect(try !isAsked(feed))
      #expect(try feed.mediaRequests().count <= 2, "those that were on their way")
    }

    /// Nothing tells when another answer would come. So the open asks, and nobody else.
    @Test(arguments: DriveKind.all, ["403", "404", "405", "501"])
    func aQuestionThatIsRefusedIsNotAskedAgain(on drive: DriveKind, code: String) throws {
      let feed = try unsized(on: drive)
      try feed.origin.fault(.status, below: "/pattern/", ["code": code])
      try feed.mount()
      try #require(try eventually { try feed.mediaRequests().count == 6 })

      // A refresh that brings a film has its size asked, and no other.
      try feed.serve((0...6).map { PatternFile(name: "a\($0)", size: 300_000, claim: .none) })
      _ = try feed.refresh()
      try #require(try eventually { try feed.mediaRequests().count == 7 })
      #expect(try !isAsked(feed))
      let paths = try feed.mediaRequests().map(\.path).sorted()
      #expect(paths == (0...6).map { "/pattern/a\($0).mp4" })
      #expect(try feed.look(at: feed.path(1)).size > 0)

      try feed.origin.clear(below: "/pattern/")
      #expect(try feed.bytes(of: feed.path(1)).count == 300_000)
      #expect(try feed.look(at: feed.path(1)).size == 300_000)
      #expect(try !isAsked(feed))
    }

    /// A film may be on its way to the server when its size is asked for.
    @Test(arguments: DriveKind.all, [200_000, 400_000])
    func aFileThatHasGrownOrShrunkSinceIsReadWhole(on drive: DriveKind, size: Int) throws {
      let feed = try unsized(on: drive)
      try feed.mount()
      #expect(try eventually { try areKnown(feed) })
      let now = PatternFile(name: "now", size: size, seed: 9)
      try feed.origin.fault(.redirect, below: "/pattern/a1.mp4", ["hops": "1", "to": now.path])
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<size, seed: 9))
      #expect(try feed.look(at: feed.path(1)).size == size)
    }

    @Test(arguments: DriveKind.all)
    func withSizesOpenOnlyAnOpenAsksForASize(on drive: DriveKind) throws {
      let feed = try unsized(on: drive)
      try feed.mount(options: ["--sizes", "open"])
      #expect(try feed.look(at: feed.path(1)).size > 0)
      #expect(try !isAsked(feed))
      #expect(try feed.bytes(of: feed.path(1)).count == 300_000)
    }

    /// A question takes only the first bytes of a file, also of an origin without ranges.
    @Test(arguments: DriveKind.all) func aQuestionTakesFewBytes(on drive: DriveKind) throws {
      let feed = try unsized(on: drive)
      try feed.mount()
      #expect(try eventually { try areKnown(feed) })
      let log = try feed.mediaRequests()
      #expect(log.count == 6 && log.allSatisfy { $0.bytesSent <= Figure.sizesBytes.bytes })
    }
  }
}
