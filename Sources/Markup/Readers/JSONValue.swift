import Addresses

/// Any JSON value, of unknown shape. Its properties return nil for a wrong type, so one wrong value
/// does not make the whole document unreadable.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number as written, because a `Double` cannot tell two ids of twenty digits apart.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The member of an object; nil for any other value.
  package subscript(_ key: String) -> JSONValue? {
    object?[key]
  }

  package var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let array) = self { array } else { nil }
  }

  /// The trimmed text, or a number as text; nil for an empty text and for any other value.
  package var text: String? {
    switch self {
    case .string(let text): text.trimmed.nonEmpty
    case .number(let number): Self.plain(number)
    default: nil
    }
  }

  /// Returns a whole number without fraction or exponent: "7" for "7.0" and "7e0". Any other number
  /// is returned as it is written.
  private static func plain(_ number: String) -> String {
    guard Int(number) == nil, let whole = Double(number).flatMap({ Int(exactly: $0) }) else {
      return number
    }
    return String(whole)
  }

  /// The number, also if it is written as text; nil if it is not above zero.
  package var positive: Double? {
    switch self {
    case .number(let text), .string(let text): FeedNumber.positiveReal(text)
    default: nil
    }
  }

  /// The number, rounded to a whole number; nil if it is not above zero.
  package var count: Int? {
    positive.flatMap { Int(exactly: $0.rounded()) }
  }

  package var isBool: Bool {
    if case .bool = self { true } else { false }
  }

  package var isTrue: Bool {
    if case .bool(true) = self { true } else { false }
  }

  /// Returns the text of the first of `keys` that has a text.
  package func text(_ keys: String...) -> String? {
    keys.lazy.compactMap { self[$0]?.text }.first
  }

  /// Returns the address of the first of `keys` that has a usable address.
  package func address(_ keys: String..., base: String) -> String? {
    keys.lazy.compactMap { WebAddress.usable(self[$0]?.text, base: base) }.first
  }
}

/// The members of an object, in the order of the document.
///
/// Objects have few members, so a linear search is quicker than hashing.
package struct JSONObject: Sendable {
  package private(set) var members: [(key: String, value: JSONValue)] = []

  /// The value of a key. If the key occurs several times, this is its last value.
  package subscript(_ key: String) -> JSONValue? {
    members.last { $0.key == key }?.value
  }

  mutating func append(_ value: JSONValue, for key: String) {
    members.append((key, value))
  }
}
