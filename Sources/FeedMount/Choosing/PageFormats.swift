import Blocks
import FeedReading
import HTTP
import Resolving

/// The formats of an entry's web page, and the format that is read.
struct PageFormats: Sendable {
  /// The addresses in the page's last answer, best first.
  var offers: [PageFormat] = []
  /// The format that is read.
  private(set) var current: PageFormat?
  /// Names the format that was read last, in this process or an earlier one.
  var mark: String?
  /// The kind of program that has opened the file.
  var asker = PageAsker.other
  /// The time before which the page must not be resolved, in seconds since 1970; nil if there is
  /// none.
  var postponedUntil: Int?

  /// - Parameter mark: the mark of the format that was read before; nil if there is none.
  init(mark: String? = nil) {
    self.mark = mark
  }

  mutating func take(_ format: PageFormat) {
    (current, mark) = (format, format.mark)
  }

  mutating func beginAnew() {
    (current, mark) = (nil, nil)
  }
}

/// A request to the resolver for the media of a web page.
struct PageQuestion: Hashable, Sendable {
  let page: String
  let asker: PageAsker
  /// An address of an earlier answer that is not valid any more; nil if an earlier answer can be
  /// used.
  var refused: String?
  /// The mark of the format that was read before.
  var mark: String?
  /// The version that is proved; nil if none is.
  var known: Representation?
}

extension PageFormat {
  /// The header fields of the format, without fields that are invalid or reserved for feedfs.
  var fields: [HeaderField] {
    headers.sorted { $0.key < $1.key }.compactMap { name, value in
      try? HeaderField(name: name, value: value)
    }
  }
}
