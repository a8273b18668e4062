import FeedReading
import Testing

@testable import Catalog

/// Files that are called as at their origin, or by their titles.
@Suite(.timeLimit(.minutes(1))) struct OwnNamesTests {
  /// A listing of files with these addresses below the folder of the listing.
  private func listing(_ paths: [String], subtitles: [String: [String]] = [:]) -> Feed {
    var listing = Feed(kind: .index)
    listing.entries = PackedArray(
      paths.map { path in
        var entry = video(path, url: "https://h.org/v/\(path)", title: "A title")
        entry.subtitles = (subtitles[path] ?? []).map {
          Subtitle(url: "https://h.org/\(path).\($0).vtt", type: nil, lang: $0)
        }
        if path == "folder.mp4" { entry.thumbnail = "https://h.org/picture.jpg" }
        return entry
      })
    return listing
  }

  private func names(_ catalog: Catalog) -> [String] { catalog.listed.map(\.name) }

  /// Reads the catalog's snapshot after a change of its text.
  private func changed(
    _ catalog: Catalog, _ change: (String) -> String
  ) throws -> Catalog {
    try Catalog(decoding: Array(change(String(decoding: catalog.encoded(), as: UTF8.self)).utf8))
  }

  // MARK: Which names

  @Test func theFilesOfAListingAreCalledAsThere() throws {
    var catalog = try Catalog.after(listing(["My.Show.S01E01.1080p.mp4", "b%20c.mp4"]))
    #expect(names(catalog) == ["My.Show.S01E01.1080p.mp4", "b c.mp4"])
    #expect(catalog.entry(named: "b c.mp4")?.number == 2)
    #expect(catalog.listedEntry(named: "My.Show.S01E01.1080p.mp4")?.number == 1)
    #expect(catalog.entry(named: "B C.mp4") == nil && catalog.entry(named: "0001.mp4") == nil)
    catalog.read(listing(["a.mp4", "b%20c.mp4", "My.Show.S01E01.1080p.mp4"]))
    #expect(names(catalog) == ["My.Show.S01E01.1080p.mp4", "b c.mp4", "a.mp4"])
  }

  @Test func thoseOfAFeedAreCalledByNumber() throws {
    #expect(try names(Catalog.after(feed("b a"))) == ["0001.mp4", "0002.mp4"])
    var catalog = try Catalog.after(Feed(kind: .rss), feed("a"))
    catalog.read(listing(["a", "x.mp4"]))
    #expect(names(catalog) == ["0001.mp4", "0002.mp4"], "and stay so")
  }

  /// A listing may be empty at first, or come as a further page.
  @Test func theFirstEntryDecides() throws {
    #expect(try names(Catalog.after(Feed(kind: .rss), listing(["x.mp4"]))) == ["x.mp4"])
    var catalog = try Catalog.empty()
    _ = catalog.extend(with: listing(["x.mp4"]), now: noon) { _ in "mp4" }
    #expect(names(catalog) == ["x.mp4"])
    catalog.read(listing(["x.mp4", "y.mp4"]))
    #expect(names(catalog) == ["x.mp4", "y.mp4"])
  }

  @Test func aKnownListingKeepsItsNumbers() throws {
    var known = try Catalog.empty()
    _ = known.call(by: .number)
    known.read(listing(["x.mp4"]))
    known = try Catalog(decoding: known.encoded())
    known.read(listing(["x.mp4", "y.mp4"]))
    #expect(names(known) == ["0001.mp4", "0002.mp4"] && known.names == .number)
    #expect(try Catalog(decoding: known.encoded()) == known)
  }

  // MARK: Safe names

  /// Addresses of files, and their names.
  private static let hostile: [(String, String)] = [
    ("..%2Fetc.mp4", "⧸etc.mp4"), ("b/", "A title.mp4"), ("%00a%0Ab%7F.mp4", "a b.mp4"),
    ("%2E%2E%2E", "untitled.mp4"),
    ("-rf.mp4", "_rf.mp4"), (".hidden.mp4", "hidden.mp4"), ("by-title", "by-title.mp4"),
    (".feedfs", "A title.mp4"), ("playlist.m3u8", "playlist.mp4"), ("0007.srt", "0007.srt.mp4"),
    ("0007.nfo", "0007.nfo.mp4"), ("0002.mp4", "0002.mp4"), ("a.mp4.", "a.mp4.mp4"),
    (String(repeating: "x", count: 255) + ".mp4", String(repeating: "x", count: 200) + ".mp4"),
    (String(repeating: "%C3%A9", count: 127), String(repeating: "é", count: 100) + ".mp4"),
    ("film.MP4", "film.MP4"), ("film.php", "film.php.mp4"), ("a%E2%80%AEgpj.mp4", "a gpj.mp4"),
    ("%FF.mp4", "%FF.mp4"), ("#.mp4", "A title.mp4"), ("?.mp4", "A title.mp4"),
    ("film.m%E2%84%AA4", "film.mK4.mp4"), ("e%CC%81.mp4", "\u{E9}.mp4"),
  ]

  @Test(arguments: hostile) func noNameIsDangerous(path: String, name: String) throws {
    let catalog = try Catalog.after(listing([path]))
    let given = try #require(names(catalog).first)
    #expect(Array(given.utf8) == Array(name.utf8), "\(given)")
    #expect(catalog.entry(named: name)?.number == 1)
    #expect(try Catalog(decoding: catalog.encoded()) == catalog)
  }

  @Test func namesAreUniqueAlsoWhereCapitalsDoNotCount() throws {
    let paths = ["a.mp4", "A.mp4", "a.MP4", "a%20(2).mp4", "x/a.mp4", "a%20%20(2).mp4", "É.mp4"]
    let catalog = try Catalog.after(listing(paths + ["%C3%A9.mp4"]))
    let all = names(catalog)
    #expect(Set(all.map { $0.lowercased() }).count == all.count, "\(all)")
    #expect(all.prefix(3) == ["a.mp4", "A (2).mp4", "a (3).MP4"])
    for (place, name) in all.enumerated() {
      #expect(catalog.entry(named: name)?.number == place + 1)
    }
  }

  @Test func twentyThousandFilesOfOneNameAreNamedSoon() throws {
    var catalog = try Catalog.empty()
    _ = catalog.call(by: .title)
    catalog.read(feed((0..<20_000).map { video("\($0)", title: "Same") }))
    #expect(catalog.entry(number: 20_000)?.name == "Same (20000).mp4")
  }

  @Test func aTitleIsANameAndFilmsOfOneTitleAreDifferentFilms() throws {
    var catalog = try Catalog.empty()
    _ = catalog.call(by: .title)
    let titles = ["S01E01. The Start", "film.mp4", "", "Live"]
    var entries = titles.map { video($0.isEmpty ? "c" : $0, title: $0) }
    entries.append(video("other", title: "Live"))
    _ = catalog.merge(feed(entries), now: noon) { $0.url.contains("other") ? "webm" : "mp4" }
    #expect(
      names(catalog) == [
        "S01E01. The Start.mp4", "film.mp4", "untitled.mp4", "Live.mp4", "Live (2).webm",
      ])
  }

  // MARK: A name is for ever

  @Test func namesStayThroughARestartWhateverComes() throws {
    var catalog = try Catalog.after(listing(["b.mp4", "B.mp4"]))
    let before = names(catalog)
    let text = String(decoding: catalog.encoded(), as: UTF8.self)
    #expect(text.contains("\"name\":\"0001.mp4\"") && text.contains("\"ownName\":\"b.mp4\""))
    catalog = try Catalog(decoding: catalog.encoded())
    catalog.read(listing(["B (2).mp4", "b.mp4", "B.mp4", "c.mp4"]))
    #expect(Array(names(catalog).prefix(2)) == before && names(catalog).count == 4)
    #expect(Set(names(catalog)).count == 4)
  }

  /// An entry that leaves keeps its name from others, and has it again when it comes back.
  @Test func aNameWaitsForItsEntry() throws {
    let other = ["x/b.mp4", "c.mp4", "d.mp4", "e.mp4"]
    var catalog = try Catalog.after(listing(["c.mp4", "b.mp4", "d.mp4", "e.mp4"]))
    catalog.read(listing(Array(other.dropFirst())))
    #expect(names(catalog) == ["c.mp4", "d.mp4", "e.mp4"])
    catalog = try Catalog(decoding: catalog.encoded())
    catalog.read(listing(other))
    #expect(names(catalog) == ["c.mp4", "d.mp4", "e.mp4", "b (2).mp4"])
    #expect(catalog.entry(named: "b.mp4") == nil)
    catalog.read(listing(["b.mp4"] + other))
    #expect(catalog.entry(named: "b.mp4")?.number == 2)
  }

  @Test func aNewAddressIsNoNewName() throws {
    var page = listing(["a.mp4"])
    var catalog = try Catalog.after(page)
    page.entries = PackedArray([video("a.mp4", url: "https://cdn.net/9/z.mp4", title: "Z")])
    catalog.read(page)
    #expect(
      names(catalog) == ["a.mp4"] && catalog.entry(number: 1)?.media.url.contains("9/z") == true)
  }

  private static let bad: [(String, [String])] = [
    ("../../x.mp4", ["b.mp4", "c.mp4"]), ("a\\nb.mp4", ["b.mp4", "c.mp4"]),
    ("", ["0001.mp4", "c.mp4"]), ("by-title", ["0001.mp4", "c.mp4"]),
    ("b.webm", ["0001.mp4", "c.mp4"]), ("C.mp4", ["C.mp4", "c (2).mp4"]),
  ]

  @Test(arguments: bad) func aNameThatNobodyGaveIsNotTaken(bad: String, given: [String]) throws {
    let catalog = try Catalog.after(listing(["b.mp4", "c.mp4"]))
    let decoded = try changed(catalog) {
      $0.replacing("\"ownName\":\"b.mp4\"", with: "\"ownName\":\"\(bad)\"")
    }
    #expect(names(decoded) == given)
    #expect(given.allSatisfy { decoded.entry(named: $0) != nil })
  }

  // MARK: Other names

  @Test func theUserMayHaveTheOtherNames() throws {
    var catalog = try Catalog.after(feed([video("a", title: "One"), video("b", title: "Two / 2")]))
    func call(_ naming: FileNaming) -> Bool { catalog.call(by: naming) }
    #expect(!call(.number) && call(.title))
    #expect(names(catalog) == ["One.mp4", "Two ⧸ 2.mp4"])
    catalog.read(feed([video("a", title: "Another"), video("b", title: "Two / 2")]))
    #expect(names(catalog) == ["One.mp4", "Two ⧸ 2.mp4"], "a name is for ever")
    #expect(try Catalog(decoding: catalog.encoded()) == catalog)
    #expect(call(.origin) && names(catalog) == ["a.mp4", "b.mp4"])
    #expect(catalog.entry(named: "One.mp4") == nil)
    #expect(call(.number) && names(catalog) == ["0001.mp4", "0002.mp4"])
    #expect(catalog.entry(named: "0002.mp4")?.key == "b" && catalog.entry(named: "b.mp4") == nil)
  }

  @Test func namesStayWhereTheSnapshotDoesNotSayWhyTheyAreSo() throws {
    var catalog = try Catalog.after(listing(["b.MP4", "c.mp4"]))
    catalog = try changed(catalog) {
      $0.replacing("\"naming\":\"origin\"", with: "\"naming\":\"date\"")
    }
    #expect(names(catalog) == ["b.MP4", "c.mp4"], "as a later feedfs may say")
  }

  // MARK: What lies beside a film

  private func sidecars(_ catalog: Catalog, kinds: Set<Sidecar.Kind> = [.subtitles]) -> [[String]] {
    catalog.listed.map { catalog.sidecars(of: $0, kinds: kinds).map(\.sidecar.name) }
  }

  @Test func aSidecarHasTheNameOfItsFilmAndIsThereOnce() throws {
    let page = listing(
      ["talk.mp4", "Talk.webm", "talk.en.mp4", "x.mp4"],
      subtitles: ["talk.mp4": ["en", "de"], "Talk.webm": ["de", "fr"], "x.mp4": ["en"]])
    var catalog = try Catalog.after(Feed(kind: .rss))
    _ = catalog.merge(page, now: noon) { $0.url.hasSuffix("webm") ? "webm" : "mp4" }
    #expect(
      sidecars(catalog) == [["talk.en.vtt", "talk.de.vtt"], ["Talk.fr.vtt"], [], ["x.en.vtt"]])
    #expect(catalog.entries(beside: "talk.en.vtt").map(\.number) == [3, 1, 2])
    #expect(catalog.entries(beside: "talk.de.vtt").map(\.number) == [1, 2])
    #expect(catalog.entries(beside: "y").isEmpty && catalog.entries(beside: "y.vtt").isEmpty)
  }

  @Test func aSidecarNeverHasTheNameOfAnotherFile() throws {
    let catalog = try Catalog.after(listing(["folder.mp4", "a.mp4", "A.mp4"]))
    let names = sidecars(catalog, kinds: [.nfo, .subtitles, .covers])
    #expect(names == [["folder.nfo"], ["a.nfo"], ["A (2).nfo"]])
    #expect(sidecars(try Catalog.after(feed("a")), kinds: [.nfo]) == [["0001.nfo"]])
  }

  @Test func aPlaylistIsReadWhateverItsFilesAreCalled() throws {
    let catalog = try Catalog.after(listing(["%231.mp4", "b.mp4"]))
    let lines = String(decoding: Playlist.m3u8(of: catalog).joined, as: UTF8.self)
      .split(separator: "\n")
    #expect(lines.filter { !$0.hasPrefix("#") } == ["./#1.mp4", "b.mp4"])
  }

  /// A folder beside the files gets no name that one of them may get later.
  @Test func aNameThatAFileMayGetIsKnown() throws {
    let (listed, numbered) = try (Catalog.after(listing(["a.mp4"])), Catalog.after(feed("a")))
    #expect(listed.mayCall("b.mkv") && !listed.mayCall("0007") && !listed.mayCall("Talks"))
    #expect(numbered.mayCall("0007.mp4") && !numbered.mayCall("b.mkv"))
  }
}
