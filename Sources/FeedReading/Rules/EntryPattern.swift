import Markup

/// A pattern in a rule: words, or a regular expression, to look for in the title or the notes of an
/// entry. Examples: `#shorts`, `/live|replay/`, `notes: sponsored`.
package struct EntryPattern: Hashable, Sendable {
  private enum Field: String, CaseIterable {
    case title, notes
  }

  private enum Sought {
    case words(WordMatch)
    case expression(Expression)
  }

  /// The pattern as the user wrote it.
  package let text: String
  private let field: Field
  private let sought: Sought

  /// Parses words, or a regular expression between slashes. The prefix `notes:` or `title:` says
  /// which text of an entry is searched. Without a prefix, the title is searched.
  ///
  /// - Throws: the reason why `text` is no pattern.
  package init(_ text: String) throws(RuleError) {
    self.text = text
    var rest = text.trimmed
    let named = Field.allCases.first { rest.lowercased().hasPrefix("\($0.rawValue):") }
    if let named { rest = String(rest.dropFirst(named.rawValue.count + 1)).trimmed }
    field = named ?? .title
    guard rest.hasPrefix("/") else {
      guard rest.utf8.count <= Self.maxWordBytes, let words = WordMatch(rest) else {
        throw RuleError("has no words, or more than \(Self.maxWordBytes) bytes of them")
      }
      sought = .words(words)
      return
    }
    guard rest.hasSuffix("/"), rest.utf8.count > 1 else {
      throw RuleError("begins like a regular expression, but does not end with /")
    }
    sought = .expression(try Expression(String(rest.dropFirst().dropLast())))
  }

  private static let maxWordBytes = 200

  /// Whether an entry matches; nil if the regular expression ran out of steps.
  func matches(_ subject: inout RuleSubject) -> Bool? {
    switch sought {
    case .words(let words):
      return words.matches(field == .title ? subject.foldedTitle : subject.foldedNotes)
    case .expression(let expression):
      // An earlier pattern has used up all steps of this entry. Only the earlier one is reported as
      // too slow.
      guard subject.steps > 0 else { return false }
      let text = field == .title ? subject.title : subject.plainNotes
      switch expression.match(text, steps: &subject.steps) {
      case .matches: return true
      case .differs: return false
      case .unclear: return nil
      }
    }
  }

  package static func == (one: EntryPattern, other: EntryPattern) -> Bool {
    one.text == other.text
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}

extension EntryPattern: Codable {
  package init(from decoder: any Decoder) throws {
    try self.init(try decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// The facts about an entry that rules look at.
package struct RuleSubject {
  /// The limit in bytes for the title, and also for the notes. The rest of a longer text is
  /// ignored.
  private static let maxBytes = 4096
  /// The limit for the steps of all regular expressions together (`Expression`), for one entry.
  /// This many steps take two milliseconds at most.
  private static let maxSteps = 40_000

  let title: String
  private let notes: String
  /// Seconds; nil if they are not known.
  let duration: Double?
  /// The date of publication, or else the time when the entry was first seen, in seconds since
  /// 1970.
  let modified: Int
  /// Whether the entry was found to be live a short time ago.
  let isBroadcast: Bool
  /// The steps that are left for regular expressions.
  var steps = Self.maxSteps

  /// The notes as plain text.
  private(set) lazy var plainNotes = ShowNotes.text(of: notes)
  private(set) lazy var foldedTitle = FoldedText(title)
  private(set) lazy var foldedNotes = FoldedText(PlainText.collapsed(plainNotes))

  /// - Parameter notes: the notes as the feed writes them.
  package init(
    title: String, notes: String?, duration: Double?, modified: Int, isBroadcast: Bool = false
  ) {
    self.title = Self.beginning(title)
    self.notes = Self.beginning(notes ?? "")
    self.duration = duration
    self.modified = modified
    self.isBroadcast = isBroadcast
  }

  private static func beginning(_ text: String) -> String {
    guard text.utf8.count > maxBytes else { return text }
    return String(decoding: text.utf8.prefix(maxBytes), as: UTF8.self)
  }
}
