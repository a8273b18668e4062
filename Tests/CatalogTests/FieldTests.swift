import FoundationEssentials
import Testing

@testable import Catalog
@testable import FeedReading

/// The fields of an entry, packed and as JSON, are what they were before they had one list.
@Suite(.timeLimit(.minutes(1))) struct FieldTests {
  /// `FieldSamples.entries`, written when each form had a writer and a reader of its own.
  private static func bytes() throws -> [UInt8] {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return Array(try Data(contentsOf: URL(filePath: "/\(tests)/Fixtures/entries.json")))
  }

  private static func read(_ bytes: [UInt8]) throws -> [CatalogEntry] {
    var json = StrictJSON(bytes)
    return try json.array { json throws(StrictJSON.Fault) in try json.value() }
  }

  private static func written(_ entries: [CatalogEntry]) -> String {
    var text = JSONText()
    text.array(entries) { $0.put($1) }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test func theSameBytesAreWritten() throws {
    #expect(
      Self.written(FieldSamples.entries) == String(decoding: try Self.bytes(), as: UTF8.self))
  }

  @Test func theSameValuesAreRead() throws {
    let read = try Self.read(Self.bytes())

    // A duration that is no number is not even equal to itself.
    #expect(read.dropLast() == FieldSamples.entries.dropLast())
    #expect(Self.written(read) == Self.written(FieldSamples.entries))
    #expect(read[2].alternates.last?.duration?.isNaN == true)
    #expect(read[2].chapterMarks?.last?.start.sign == .minus)
  }

  @Test func membersAreReadInAnyOrder() throws {
    var json = StrictJSON(
      Array(#"{"url" : "u", "later": [{"x": "y"}], "isDefault":true,"height":null}"#.utf8))

    let media: Media = try json.value()

    var expected = Media(url: "u")
    expected.isDefault = true
    #expect(media == expected)
  }

  @Test(arguments: [
    "alternates", "firstSeen", "inode", "key", "media", "name", "number", "presence", "subtitles",
    "title", "url", "isDefault", "checkedAt", "freshFor", "length",
  ])
  func anEntryWithoutANeededFieldIsDamaged(key: String) throws {
    let entry = FieldSamples.full
    let text = Self.written([entry])
    let other = text.replacing("\"\(key)\":", with: "\"another\":")

    #expect(other != text)
    #expect(throws: StrictJSON.Fault.self) { try Self.read(Array(other.utf8)) }
  }

  @Test func wordsOfALaterFeedfsAreNoMark() throws {
    let text = Self.written([FieldSamples.full])
    let marked = text.replacing("\"started\"", with: "\"skimmed\"")
    let present = text.replacing("\"presence\":\"kept\"", with: "\"presence\":\"lent\"")

    #expect(try Self.read(Array(marked.utf8)).first?.mark == nil)
    #expect(throws: StrictJSON.Fault.self) { try Self.read(Array(present.utf8)) }
  }

  @Test func whatIsPackedIsTheSameAgain() {
    let packed = PackedArray(FieldSamples.entries)

    #expect(packed.dropLast().elementsEqual(FieldSamples.entries.dropLast()))
    #expect(Self.written(Array(packed)) == Self.written(FieldSamples.entries))
    // A long list needs no more memory than before.
    #expect(packed.packed.map(\.count) == [851, 82, 610])
  }

  @Test func aGlanceShowsWhatTheEntryHas() {
    let packed = PackedArray(FieldSamples.entries)
    for (place, entry) in FieldSamples.entries.enumerated() {
      let listed = packed.listed(at: place)
      #expect(listed.number == entry.number && listed.name == entry.name)
      #expect(listed.inode == entry.inode && listed.modified == entry.modified)
      #expect(listed.likelyLength == entry.likelyLength && listed.mark == entry.mark)
      #expect(listed.provedLength == entry.known?.length && listed.isRemoved == entry.isRemoved)
      #expect(listed.isMeasured == (entry.known?.isMeasured ?? false))
      #expect(listed.hasSubtitles == !entry.shownSubtitles.isEmpty)
      let names = packed.names(at: place)
      #expect(names.number == entry.number && names.name == entry.name)
      #expect(names.inode == entry.inode && names.key == entry.key && names.alias == entry.alias)
      #expect(names.linkName == entry.linkName)
      #expect(names.notesSize == entry.notes?.utf8.count ?? 0)
      #expect(packed.key(at: place) == entry.key && packed.alias(at: place) == entry.alias)
      #expect(packed.inode(at: place) == entry.inode)
      #expect(packed.published(at: place) == entry.published)
      #expect(packed.presence(at: place) == entry.presence)
      #expect(packed.isPinned(at: place) == entry.isPinned)
      let look = packed.look(at: place)
      #expect(look.title == entry.title && look.published == entry.published)
      #expect(look.address == entry.media.url)
    }
  }
}
