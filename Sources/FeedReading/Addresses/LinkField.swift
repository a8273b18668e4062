import Addresses
import Markup

/// Reads the header field `Link` of an answer (RFC 8288 §3).
package enum LinkField {
  /// Returns the addresses of following pages: links with the relation `next` or `prev-archive`
  /// (RFC 5005).
  ///
  /// - Parameters:
  ///   - field: all values of the field, joined by commas; nil if none was sent.
  ///   - base: the absolute address of the document.
  /// - Returns: absolute http or https addresses, in the field's order.
  package static func following(_ field: String?, base: String) -> [String] {
    guard let field else { return [] }
    var rest = Array(field.utf8)[...]
    var found: [String] = []
    while let open = rest.firstIndex(of: Byte.less),
      let close = rest[open...].firstIndex(of: Byte.greater)
    {
      let target = String(decoding: rest[(open + 1)..<close], as: UTF8.self)
      rest = rest[(close + 1)...]
      let relations = relations(in: parameters(&rest))
      let isFollowing = relations.contains("next") || relations.contains("prev-archive")
      if isFollowing, let address = WebAddress.usable(target, base: base) {
        found.append(address)
      }
    }
    return found
  }

  /// Removes and returns the bytes up to the comma that ends a link. A comma in a quoted string
  /// does not end it.
  private static func parameters(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    var taken: [UInt8] = []
    var isQuoted = false
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: ","), !isQuoted { break }
      taken.append(byte)
    }
    return taken
  }

  private static func relations(in parameters: [UInt8]) -> [String] {
    let text = String(decoding: parameters, as: UTF8.self).lowercased()
    for parameter in text.split(separator: ";") {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, String(parts[0]).trimmed == "rel" else { continue }
      let value = String(parts[1]).trimmed.filter { $0 != "\"" }
      return value.split(separator: " ").map(String.init)  // only the first "rel" is used
    }
    return []
  }
}
