import FoundationEssentials

/// A JSON document of any shape.
enum AnyJSON: Decodable, Hashable {
  case object([String: AnyJSON])
  case array([AnyJSON])
  case text(String)
  case number(Double)
  case flag(Bool)
  case null

  init(_ text: String) throws {
    self = try JSONDecoder().decode(AnyJSON.self, from: Data(text.utf8))
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let members = try? value.decode([AnyJSON].self) {
      self = .array(members)
    } else {
      self = .object(try value.decode([String: AnyJSON].self))
    }
  }
}
