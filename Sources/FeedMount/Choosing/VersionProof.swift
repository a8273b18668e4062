import Addresses
import Blocks
import HTTP

/// The facts that show whether an answer belongs to a version.
struct VersionProof: Sendable {
  private static let maxLengthless = 3

  /// The representation to which every answer must belong; nil until the first answer proves it.
  private(set) var expected: Representation?
  /// Facts about the last accepted answer without a length; nil if there is none, or if its length
  /// is proved now.
  private(set) var growth: AnswerFacts?
  /// The address of the last answer, after redirects; nil if there was none.
  private(set) var answeredAt: String?
  var marks = VersionMarks()
  /// The number of consecutive answers that stated no length, although the version's length is
  /// proved.
  private var lengthless = 0

  init(_ expected: Representation? = nil, _ marks: VersionMarks = VersionMarks()) {
    self.expected = expected
    self.marks = marks
  }

  /// True as long as no answer has shown that the address in use can be read.
  var isMissing: Bool { expected == nil && growth == nil }

  /// Notes an answer of the version. Returns the version's strong Last-Modified, if it is known
  /// now.
  mutating func take(_ answer: AcceptedAnswer) -> String? {
    expected = expected ?? answer.representation
    answeredAt = answer.finalURL
    lengthless = 0
    return marks.take(answer)
  }

  mutating func grows(_ answer: AnswerFacts) {
    growth = answer
  }

  /// Notes that the body without length is this version. Returns the facts about its answer; nil if
  /// there is none.
  mutating func proved(_ version: Representation) -> AnswerFacts? {
    expected = version
    defer { growth = nil }
    return growth
  }

  /// Notes how an answer has ended. Returns true if this shows that the origin has another version.
  ///
  /// One answer without a length can be a passing fault. After several in a row, no answer can show
  /// any more that the origin still has this version.
  mutating func isDisproved(by end: TransferEnd) -> Bool {
    if case .refused(.noLength) = end { lengthless += 1 }
    return lengthless >= Self.maxLengthless
  }
}

/// The facts that distinguish the versions of one file, besides the validator.
struct VersionMarks: Hashable, Sendable {
  /// The origin whose entity tags for the file are ignored; nil if there is none.
  var untaggedAt: String?
  /// The strong Last-Modified of the version; nil if none is known.
  var date: String?
  /// A weak Last-Modified date, as the first answer with this date has stated it.
  var stated: StatedDate?

  /// Puts the facts into a request. If entity tags of the origin are ignored, the request says so.
  func mark(_ request: inout RangeRequest) {
    request.date = date
    request.ignoresTags = ignoresTags(at: request.url)
  }

  func ignoresTags(at url: String) -> Bool {
    untaggedAt != nil && untaggedAt == Self.origin(of: url)
  }

  /// Ignores entity tags from the origin of `url` from now on. Returns that origin; nil if `url` is
  /// no address.
  mutating func ignoreTags(at url: String) -> String? {
    guard let origin = Self.origin(of: url) else { return nil }
    untaggedAt = origin
    return origin
  }

  /// Notes the date of an answer of this version. A weak date counts as strong when a later answer
  /// confirms it. Returns the date that is known now; nil if none is.
  mutating func take(_ answer: AcceptedAnswer) -> String? {
    guard date == nil, let stated = answer.date else { return date }
    if !stated.isWeak || self.stated.map(stated.confirms) ?? false {
      date = stated.text
    } else if self.stated?.text != stated.text {
      self.stated = stated
    }
    return date
  }

  /// Returns scheme, host and port of `url`; nil if it is no address.
  private static func origin(of url: String) -> String? {
    (try? WebAddress(parsing: url))?.origin.description
  }
}
