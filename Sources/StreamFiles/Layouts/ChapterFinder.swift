import FeedReading
package import Streams
import World

/// Finds the chapters that a feed gives an entry.
package struct ChapterFinder: Sendable {
  /// The longest wait for the document. It is short, because no reader gets a byte before the
  /// layout has its chapters.
  private static let timeout: Duration = .seconds(3)
  /// The size limit for a document of chapters.
  private static let maxBytes = 1 << 20

  /// The address of a document of chapters; nil if the feed names none.
  let address: String?
  /// The chapters that the feed itself lists.
  let marks: [StreamChapter]

  package init(address: String? = nil, marks: [StreamChapter] = []) {
    (self.address, self.marks) = (address, marks)
  }

  /// Returns the chapters of the document. If there is no document, or if it does not come in time,
  /// returns the chapters that the feed itself lists.
  func chapters(by pieces: PieceClient) async -> [StreamChapter] {
    guard let address else { return marks }
    let task = pieces.tasks.start { () -> [StreamChapter]? in
      let place = PiecePlace(address: address)
      let document = try? await pieces.document(at: place, limit: Self.maxBytes)
      return document.flatMap { ChapterDocument.chapters($0.bytes) }
    }
    let found = await pieces.tasks.value(of: task, within: Self.timeout)
    return (found ?? nil) ?? marks
  }
}
