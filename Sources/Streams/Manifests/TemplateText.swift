/// An address with placeholders for numbers: "$RepresentationID$/$Number%05d$.m4s" (ISO 23009-1
/// §5.3.9.4.4).
struct TemplateText {
  enum Part: Hashable {
    case text(String)
    case number(width: Int)
    case time(width: Int)
  }

  /// The parts in order. Placeholders whose value is the same for all segments are already replaced
  /// by text.
  private let parts: [Part]

  init(_ text: String, representation: String, bandwidth: Int) throws(StreamError) {
    var parts: [Part] = []
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      parts.append(.text(String(rest[..<dollar])))
      let after = rest.index(after: dollar)
      guard let end = rest[after...].firstIndex(of: "$") else {
        throw .malformed("the template \(text.prefix(80))")
      }
      parts.append(try Self.part(rest[after..<end], representation, bandwidth))
      rest = rest[rest.index(after: end)...]
    }
    parts.append(.text(String(rest)))
    self.parts = parts
  }

  /// Whether each segment has its own address.
  var isNumbered: Bool {
    parts.contains { part in
      if case .text = part { false } else { true }
    }
  }

  func text(number: Int, time: Int) -> String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let own): text += own
      case .number(let width): text += Self.padded(number, width)
      case .time(let width): text += Self.padded(time, width)
      }
    }
  }

  private static func part(
    _ name: Substring, _ representation: String, _ bandwidth: Int
  ) throws(StreamError) -> Part {
    if name.isEmpty { return .text("$") }
    let pieces = name.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var width = 1
    if pieces.count == 2 {
      // "%0[width]d" is the only format that the standard allows.
      guard pieces[1].hasPrefix("0"), pieces[1].hasSuffix("d"),
        let number = Int(pieces[1].dropFirst().dropLast()), (0...32).contains(number)
      else { throw .malformed("the format %\(pieces[1].prefix(16)) of a template") }
      width = number
    }
    switch pieces[0] {
    case "RepresentationID": return .text(representation)
    case "Bandwidth": return .text(padded(bandwidth, width))
    case "Number": return .number(width: width)
    case "Time": return .time(width: width)
    default:
      throw .unsupported(
        "the addresses of the stream have the placeholder \(name.prefix(32)), which feedfs does not know"
      )
    }
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
