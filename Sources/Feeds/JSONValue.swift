import FoundationEssentials

/// Any JSON, to be looked into without knowing what it holds: one value of a wrong type must not cost
/// the document.
enum JSONValue: Decodable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Nil where the text is no JSON, even with raw control characters and numbers that are none
  /// replaced, or is nested too deeply.
  init?(_ utf8: [UInt8]) {
    let decoder = JSONDecoder()
    if let value = try? decoder.decode(JSONValue.self, from: Data(utf8)) {
      self = value
    } else if let value = try? decoder.decode(JSONValue.self, from: Data(Self.scrubbed(utf8))) {
      self = value
    } else {
      return nil
    }
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    // The most frequent first: each attempt that fails is slow.
    if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let object = try? value.decode([String: JSONValue].self) {
      self = .object(object)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let array = try? value.decode([JSONValue].self) {
      self = .array(array)
    } else {
      self = (try? value.decode(Bool.self)).map(JSONValue.bool) ?? .null
    }
  }

  // MARK: Looking

  var object: [String: JSONValue]? {
    if case .object(let object) = self { object } else { nil }
  }

  var array: [JSONValue]? {
    if case .array(let array) = self { array } else { nil }
  }

  /// Trimmed text, or a number as text; nil where that is empty.
  var text: String? {
    switch self {
    case .string(let text): String(text.prefix(XMLLimit.text)).trimmed.nonEmpty
    case .number(let number):
      Int(exactly: number).map(String.init) ?? (number.isFinite ? "\(number)" : nil)
    default: nil
    }
  }

  /// Whether any text in it is longer than is kept of one.
  var hasLongText: Bool {
    switch self {
    case .string(let text): text.utf8.count > XMLLimit.text
    case .array(let values): values.contains(where: \.hasLongText)
    case .object(let members): members.values.contains(where: \.hasLongText)
    case .null, .bool, .number: false
    }
  }

  /// A number above zero, also as text.
  var positive: Double? {
    switch self {
    case .number(let number): number > 0 && number.isFinite ? number : nil
    case .string(let text): FeedNumber.positiveReal(text)
    default: nil
    }
  }

  var count: Int? {
    positive.flatMap { Int(exactly: $0.rounded()) }
  }

  /// The first of these keys that has text.
  func text(_ keys: String...) -> String? {
    keys.lazy.compactMap { object?[$0]?.text }.first
  }

  // MARK: Private

  /// Control characters become spaces, and what JavaScript calls NaN or Infinity null.
  private static func scrubbed(_ utf8: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(utf8.count)
    var isInString = false
    var isEscaped = false
    var at = 0
    while at < utf8.count {
      let byte = utf8[at]
      if !isInString, byte == UInt8(ascii: "N") || byte == UInt8(ascii: "I") {
        result += Array("null".utf8)
        while at < utf8.count, Byte.isLetter(utf8[at]) { at += 1 }
        continue
      }
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = isInString
      } else if byte == Byte.quote {
        isInString.toggle()
      }
      result.append(byte < 0x20 ? Byte.space : byte)
      at += 1
    }
    return result
  }
}
