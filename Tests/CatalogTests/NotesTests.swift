import FeedReading
import Testing

@testable import Catalog

/// Show notes and the feed's picture, from the page to the files.
@Suite(.timeLimit(.minutes(1)))
struct NotesTests {
  private func entry(_ id: String, _ notes: String?) -> Entry {
    var entry = video(id)
    entry.notes = notes
    return entry
  }

  @Test func notesAreBesideTheEntryAndInItsDescription() throws {
    let catalog = try Catalog.after(
      feed([entry("b", nil), entry("a", "<p>One &amp; two</p><p>Three</p>")]))
    let kinds: Set<Sidecar.Kind> = [.notes, .nfo]

    let first = try #require(catalog.entry(number: 1))
    #expect(Sidecar.all(of: first, kinds: kinds).map(\.name) == ["0001.nfo"])
    let second = try #require(catalog.entry(number: 2))
    let all = Sidecar.all(of: second, kinds: kinds)
    #expect(all.map(\.name) == ["0002.nfo", "0002.txt"])
    #expect(all.last?.content(of: second) == Array("One & two\n\nThree\n".utf8))
    let nfo = String(decoding: all.first?.content(of: second) ?? [], as: UTF8.self)
    #expect(nfo.contains("<plot>One &amp; two\n\nThree</plot>"))
    let document = CatalogDocument(catalog) { $0 }.pieces.joined
    #expect(String(decoding: document, as: UTF8.self).contains(#""notes" : "One & two\n\nThree""#))
  }

  @Test func theInodesOfSubtitlesDoNotDependOnNotes() throws {
    var film = entry("a", "Notes")
    film.subtitles = [Subtitle(url: "http://x/a.vtt", type: "text/vtt", lang: "en")]
    let known = try #require(try Catalog.after(feed([film])).entry(number: 1))
    func places(_ kinds: Set<Sidecar.Kind>) -> [String: Int] {
      let placed = Sidecar.placed(Sidecar.all(of: known, kinds: kinds))
      return Dictionary(placed.map { ($0.sidecar.name, $0.place) }) { first, _ in first }
    }
    #expect(places([.subtitles]) == ["0001.en.vtt": 2])
    #expect(
      places([.subtitles, .notes, .nfo]) == ["0001.en.vtt": 2, "0001.nfo": 0, "0001.txt": 62])
  }

  @Test func notesAndPictureAreSaved() throws {
    var page = feed([entry("a", "<b>Notes</b>")])
    page.cover = "http://x/cover.jpg"
    let catalog = try Catalog.after(page)
    let saved = try Catalog(decoding: catalog.encoded())
    #expect(saved == catalog && saved.entry(number: 1)?.notes == "<b>Notes</b>")
    #expect(Sidecar.covers(of: saved).map(\.name) == ["folder.jpg", "poster.jpg"])
    #expect(Sidecar.covers(of: saved).allSatisfy { $0.url == "http://x/cover.jpg" })
    #expect(Sidecar.covers(of: try Catalog.after(feed("a"))).isEmpty)
  }

  @Test func theNotesAtTheEndOfTheFeedGoWhenThereIsNoMoreRoom() throws {
    let text = String(repeating: "a", count: 4096)
    let long = try Catalog.after(feed((0..<2100).map { entry("\($0)", text) }))
    #expect(long.notesSize <= ShowNotes.room(of: 2100))
    #expect(long.entry(number: 1)?.notes == text && long.entry(number: 2100)?.notes == nil)
    var catalog = try Catalog.empty()
    for page in 0..<4 {
      catalog.read(feed((0..<700).map { entry("\(page)-\($0)", text) }))
    }
    let size = catalog.entries.reduce(0) { $0 + ($1.notes?.utf8.count ?? 0) }
    #expect(size <= ShowNotes.room(of: 2800) && size > ShowNotes.room(of: 2800) - 8192)
    #expect(catalog.notesSize == size)
    #expect(catalog.entry(number: 1)?.notes == nil && catalog.entry(number: 2800)?.notes == text)
    #expect(try Catalog(decoding: catalog.encoded()).notesSize == size)
  }
}
