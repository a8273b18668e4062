/// Who is told what an XML document holds; called on the thread that reads.
protocol XMLHandler: AnyObject {
  /// Whether text at this place would be looked at.
  var wantsText: Bool { get }

  /// An element begins; false ends the reading.
  func start(_ name: XMLName, attributes: XMLAttributes) -> Bool

  /// A piece of the text of the open element.
  func text(_ text: String)

  /// The open element ends.
  func end()
}

/// The name of an element.
struct XMLName {
  let space: Namespace
  /// Local, in lower case.
  let local: String
}

/// What an element says of itself: by local name in lower case; `xml:base` and `xml:lang` keep their
/// prefix.
///
/// Most elements have none, and the others a few: to look through them is quicker than to hash.
struct XMLAttributes {
  private var pairs: [(name: String, value: String)] = []

  subscript(_ name: String) -> String? {
    get { pairs.first { $0.name == name }?.value }
    set {
      pairs.removeAll { $0.name == name }
      guard let newValue, pairs.count < XMLLimit.attributes else { return }
      pairs.append((name, newValue))
    }
  }
}

/// What a document may take of us at most.
enum XMLLimit {
  /// Entries of a feed.
  static let entries = 100_000
  /// Kept bytes of one text.
  static let text = 1 << 20
  /// Bytes of an attribute; a longer one counts as missing.
  static let attribute = 64 << 10
  /// Attributes of an element; those behind count as missing.
  static let attributes = 64
  /// Elements within each other.
  static let depth = 256
  /// Bytes handed to libxml2 at once: larger pieces meet its look-ahead limit of 10 MB.
  static let piece = 64 << 10
}

/// How the reading of a document ended.
enum XMLOutcome: Hashable {
  case whole
  /// The handler had seen enough.
  case stopped
  /// Not well-formed, or deeper than the limit.
  case broken
}
