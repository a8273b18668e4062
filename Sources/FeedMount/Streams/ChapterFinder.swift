import Catalog
import FeedReading
import Streams
import World

/// Finds the chapters that a feed gives an entry.
struct ChapterFinder: Sendable {
  /// The longest time for which a film waits for its chapters.
  private static let timeout: Duration = .seconds(3)
  /// The most bytes of a document of chapters.
  private static let longest = 1 << 20

  /// The address of a document of chapters; nil if the feed names none.
  var address: String?
  /// The chapters that the feed itself lists.
  var marks: [StreamChapter] = []

  /// Returns the chapters; none if their document does not come soon.
  func chapters(by pieces: PieceClient) async -> [StreamChapter] {
    guard let address else { return marks }
    let task = pieces.tasks.start { () -> [StreamChapter]? in
      let place = PiecePlace(address: address)
      let document = try? await pieces.document(at: place, limit: Self.longest)
      return document.flatMap { ChapterDocument.chapters($0.bytes) }
    }
    let found = await pieces.tasks.value(of: task, within: Self.timeout)
    return (found ?? nil) ?? marks
  }
}

extension ChapterFinder {
  init(of entry: CatalogEntry) {
    address = entry.chapters
    marks = (entry.chapterMarks ?? []).compactMap { mark in
      guard !mark.title.isEmpty, (0..<1_000_000).contains(mark.start) else { return nil }
      return StreamChapter(
        start: Int((mark.start * 1000).rounded()) * 1_000_000, title: String(mark.title.prefix(200))
      )
    }.sorted { $0.start < $1.start }
  }
}
