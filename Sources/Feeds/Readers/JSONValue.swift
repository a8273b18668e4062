/// Any JSON, to be looked into without knowing what it holds: one value of a wrong type must not cost
/// the document.
enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// As written: an id of twenty digits is more than a `Double` can tell from the next one.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// Of an object; nil for anything else.
  subscript(_ key: String) -> JSONValue? {
    object?[key]
  }

  var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  var array: [JSONValue]? {
    if case .array(let array) = self { array } else { nil }
  }

  /// Trimmed text, or a number as text; nil where that is empty.
  var text: String? {
    switch self {
    case .string(let text): text.trimmed.nonEmpty
    case .number(let number): Self.plain(number)
    default: nil
    }
  }

  /// "7.0" and "7e0" are 7.
  private static func plain(_ number: String) -> String {
    guard Int(number) == nil, let whole = Double(number).flatMap({ Int(exactly: $0) }) else {
      return number
    }
    return String(whole)
  }

  /// A number above zero, also as text.
  var positive: Double? {
    switch self {
    case .number(let text), .string(let text): FeedNumber.positiveReal(text)
    default: nil
    }
  }

  var count: Int? {
    positive.flatMap { Int(exactly: $0.rounded()) }
  }

  var isTrue: Bool {
    if case .bool(true) = self { true } else { false }
  }

  /// The first of these keys that has text.
  func text(_ keys: String...) -> String? {
    keys.lazy.compactMap { self[$0]?.text }.first
  }

  /// The first of these keys that has an address that can be used.
  func address(_ keys: String..., base: String) -> String? {
    keys.lazy.compactMap { WebAddress.usable(self[$0]?.text, base: base) }.first
  }
}

/// The members of an object in the order in which they are written.
///
/// They are few: to look through them is quicker than to hash.
struct JSONObject: Sendable {
  private(set) var members: [(key: String, value: JSONValue)] = []

  /// Of several with the same key the last counts.
  subscript(_ key: String) -> JSONValue? {
    members.last { $0.key == key }?.value
  }

  mutating func append(_ value: JSONValue, for key: String) {
    members.append((key, value))
  }
}
