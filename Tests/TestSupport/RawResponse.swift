/// A response as it came over the wire, right or wrong.
package struct RawResponse: Sendable {
  /// 0 if what came is no HTTP, or nothing came.
  package var status = 0
  package var fields: [(name: String, value: String)] = []
  package var body: [UInt8] = []
  package var end = End.whole

  /// How the body ended.
  package enum End: Sendable {
    /// As it was announced.
    case whole
    /// The connection was closed where more was announced, or nothing was.
    case closed
    case reset
    /// Nothing more came before the timeout.
    case silent
  }

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// All values of the fields of that name.
  package func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The first value of that name.
  package subscript(name: String) -> String? { values(name).first }

  package init() {}

  /// Takes a head without its empty last line.
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
