import FoundationEssentials

/// Encodes and decodes messages, as JSON with sorted keys. So equal messages have equal bytes.
package enum Wire {
  package static func encode(_ message: some Encodable, pretty: Bool = false) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return Array(try encoder.encode(message))
  }

  package static func decode<Message: Decodable>(
    _ type: Message.Type, from bytes: [UInt8]
  ) throws -> Message {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
