/// Who is told what an XML document holds; called on the thread that reads.
protocol XMLHandler: AnyObject {
  /// Whether text at this place would be looked at.
  var wantsText: Bool { get }

  /// An element begins; false ends the reading.
  func start(_ name: XMLName, attributes: [String: String]) -> Bool

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

/// What a document may take of us at most.
enum XMLLimit {
  /// Kept bytes of one text.
  static let text = 1 << 20
  /// Bytes of an attribute; a longer one counts as missing.
  static let attribute = 64 << 10
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
