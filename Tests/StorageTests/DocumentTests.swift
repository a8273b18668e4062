import Glibc
import SystemPackage
import Testing

@testable import Storage

/// Small documents, such as subtitles and covers, have a checksum too.
@Suite(.timeLimit(.minutes(1))) struct DocumentTests {
  private static let url = "https://example.org/a.vtt"
  private static let text = Array("WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n".utf8)
  private let cache = CacheFixture()

  @Test func aDocumentIsReadAgainAlsoByTheNextProcess() throws {
    for _ in 0..<2 {
      let directory = try cache.directory()
      if directory.document(at: Self.url) == nil { directory.keep(Self.text, at: Self.url) }
      #expect(directory.document(at: Self.url) == Self.text)
      #expect(directory.sizeOfDocument(at: Self.url) == Self.text.count)
      #expect(directory.document(at: "https://example.org/b.vtt") == nil)
      directory.close()
    }
  }

  @Test(arguments: [".doc", ".sum"], [0, 7, 20])
  func aDocumentThatOthersCutIsMissing(ending: String, length: Int) throws {
    let directory = try cache.directory()
    directory.keep(Self.text, at: Self.url)
    let path = try cache.path(endingWith: ending)
    guard length < TemporaryDirectory.status(path).st_size else { return directory.close() }
    truncate(path.string, length)
    #expect(directory.document(at: Self.url) == nil)
    #expect(directory.sizeOfDocument(at: Self.url) == nil)
    directory.keep(Self.text, at: Self.url)
    #expect(directory.document(at: Self.url) == Self.text)
    directory.close()
  }

  @Test(arguments: [".doc", ".sum"]) func aFlippedByteIsFound(ending: String) throws {
    let directory = try cache.directory()
    directory.keep(Self.text, at: Self.url)
    let path = try cache.path(endingWith: ending)
    let whole = try TemporaryDirectory.read(path)
    for offset in whole.indices {
      var flipped = whole
      flipped[offset] ^= 0x20
      try TemporaryDirectory.write(flipped, to: path)
      #expect(directory.document(at: Self.url) == nil)
    }
    directory.close()
  }

  @Test func theDocumentOfAnotherAddressIsNotTakenForThis() throws {
    let directory = try cache.directory()
    directory.keep(Self.text, at: Self.url)
    let (doc, sum) = try (cache.path(endingWith: ".doc"), cache.path(endingWith: ".sum"))
    let other = "https://example.org/b.vtt"
    directory.keep(Self.text, at: other)
    let names = TemporaryDirectory.names(in: cache.folder).map { cache.folder.appending($0) }
    for path in [doc, sum] {
      let same = names.first { $0 != path && $0.string.suffix(4) == path.string.suffix(4) }
      rename(try #require(same).string, path.string)
    }
    #expect(directory.document(at: Self.url) == nil)
    directory.close()
  }

  @Test func aDocumentWithoutAChecksumIsOfAnOlderFormat() throws {
    let directory = try cache.directory()
    directory.keep(Self.text, at: Self.url)
    TemporaryDirectory.remove(try cache.path(endingWith: ".sum"))
    #expect(directory.document(at: Self.url) == nil)
    #expect(try TemporaryDirectory.read(cache.path(endingWith: ".doc.old")) == Self.text)
    directory.keep(Self.text, at: Self.url)
    #expect(directory.document(at: Self.url) == Self.text)
    #expect(directory.removeDocuments() > 0 && directory.document(at: Self.url) == nil)
    directory.close()
  }
}
