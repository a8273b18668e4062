import Control
import TestSupport
import Testing

extension Promises {
  /// Each file of `examples` works as it is, as users copy it.
  @Suite(.timeLimit(.minutes(2))) struct ExamplesTests {
    private static let folder = Newcomer.source + "/examples"
    private static let resolvers = folder + "/resolvers"
    private let film = PatternFile(name: "film", size: 300_000, seed: 5)

    @Test func theConfigurationIsReadAndItsFeedsAreMounted() throws {
      let feed = try MountedFeed()
      try feed.write(contents(of: Self.folder + "/config.toml"), to: MountedFeed.configuration)
      let listed = try feed.feedfs("feed", "list")
      #expect(listed.status == 0 && listed.err.isEmpty, "\(listed)")
      let names = ["channel", "members", "news", "small", "talks"]
      let folders = listed.out.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
      #expect(folders.sorted() == names)
      // No feed is asked. Each setting is looked at all the same.
      try feed.mountSubscriptions(options: ["--offline"])
      #expect(try feed.status().feeds.map(\.folder).sorted() == names)
      try feed.unmount()
    }

    @Test(.enabled(if: isInstalled("systemd-analyze"), "systemd-analyze is not installed"))
    func systemdHasNothingToSayAgainstTheUnit() throws {
      let unit = contents(of: Self.folder + "/feedfs.service")
      #expect(try verify(unit) == (0, "", ""))
      // The page has the same unit, without the comment in its first line.
      let lines = unit.split(separator: "\n", maxSplits: 1)
      #expect(contents(of: Newcomer.source + "/docs/mounting.md").contains(lines[1]))
      let wrong = unit.replacing("on-failure", with: "on-a-whim")
      #expect(wrong != unit)
      #expect(try verify(wrong).err.contains("on-a-whim"))
    }

    @Test(
      .enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "mpv or ffmpeg is not installed"))
    func mpvTakesItsSettingsAndPlays() throws {
      let feed = try MountedFeed()
      try Clips.make(in: feed.media)
      try feed.mount("/feed.xml")
      let player = [
        "mpv", "--no-config", "--include=" + Self.folder + "/mpv.conf", "--vo=null", "--ao=null",
        "--untimed", "--length=1", "--msg-level=all=warn", feed.path(1),
      ]
      let outcome = try ChildProcess.run(player, timeout: .seconds(30))
      #expect(outcome == (0, "", ""), "\(outcome)")
      try feed.unmount()
    }

    @Test(.enabled(if: isInstalled("python3"), "python3 is not installed"))
    func aFilmIsPlayedThatTheScriptFindsInAWebPage() throws {
      let feed = try MountedFeed()
      let pages = try WebPages(feed)
      try pages.serve(2)
      try pages.configure("resolver = [\"\(Self.resolvers)/first-video\", \"{url}\"]")
      let address = film.path.replacing("&", with: "&amp;")
      try feed.origin.put(
        "<script>play('\(address)')</script><p>a.mp4</p>", at: "/watch/1", type: "text/html")
      try feed.origin.put("<p>nothing</p>", at: "/watch/2", type: "text/html")
      try feed.mount("/pages")
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<film.size, seed: film.seed))
      let refused = try feed.feedfs("cache", "fetch", feed.path(2))
      #expect(refused.status == 69 && refused.err.contains("names no video"), "\(refused)")
      try feed.unmount()
    }

    @Test func theScriptForYtDlpPassesThePageAndTheBrowserOn() throws {
      let feed = try MountedFeed()
      let pages = try WebPages(feed)
      try pages.serve(1)
      try pages.configure("resolver = [\"\(feed.folder)/ask\", \"{url}\"]")
      let asked = feed.folder + "/arguments"
      try feed.write(
        """
        #!/bin/sh
        printf '%s\\n' "$@" >"\(asked)"
        echo '\(pages.document([pages.format(film, height: 720)]))'
        """, to: "bin/yt-dlp", mode: 0o755)
      try feed.write(
        "#!/bin/sh\nPATH=\"\(feed.folder)/bin:$PATH\" exec \(Self.resolvers)/yt-dlp-with-cookies \"$1\"\n",
        to: "ask", mode: 0o755)
      try feed.mount("/pages")
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<film.size, seed: film.seed))
      let arguments = contents(of: asked).split(separator: "\n").map(String.init)
      #expect(arguments.starts(with: ["--cookies-from-browser", "firefox", "--no-playlist"]))
      #expect(Array(arguments.suffix(3)) == ["-J", "--", pages.page(1)])
      try feed.unmount()
    }

    @Test func thePageNamesEachExample() throws {
      let page = contents(of: Self.folder + "/README.md")
      let found = try ChildProcess.run(["find", Self.folder, "-type", "f", "-printf", "%P\\n"])
      let files = found.out.split(separator: "\n").filter { $0 != "README.md" }
      #expect(files.count == 5)
      for file in files { #expect(page.contains("](\(file))"), "\(file)") }
    }

    // MARK: Private

    /// Lets systemd look at a unit that runs the built program.
    private func verify(_ unit: String) throws -> (status: Int32, out: String, err: String) {
      let folder = try makeTemporaryFolder()
      defer { _ = try? ChildProcess.run(["rm", "-rf", folder]) }
      let text = unit.replacing(
        "/usr/local/bin/feedfs", with: try BuiltBinary.path("feedfs"))
      let script =
        "printf %s \"$1\" >\"$0/feedfs.service\"; systemd-analyze --user verify \"$0/feedfs.service\""
      return try ChildProcess.run(
        ["sh", "-c", script, folder, text],
        environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder], timeout: .seconds(30))
    }
  }
}
