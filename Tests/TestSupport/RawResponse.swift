/// A response exactly as it came over the wire.
package struct RawResponse: Sendable {
  /// The status; 0 if nothing came or it was not HTTP.
  package var status = 0
  package var fields: [(name: String, value: String)] = []
  package var body: [UInt8] = []
  package var end = End.whole

  /// The end of the body.
  package enum End: Sendable {
    /// The body ended as announced.
    case whole
    /// The connection was closed before the announced end, or no length was announced.
    case closed
    case reset
    /// Nothing more came before the timeout.
    case silent
  }

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// Returns the values of all fields with this name.
  package func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The value of the first field with this name.
  package subscript(name: String) -> String? { values(name).first }

  package init() {}

  /// Parses a head without its empty last line.
  init(head: String) {
    let lines = head.split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count > 1, words[0].hasPrefix("HTTP/1.") else { return }
    status = Int(words[1]) ?? 0
    fields = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
    }
  }
}
