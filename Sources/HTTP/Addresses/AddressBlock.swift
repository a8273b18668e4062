/// All addresses that share a prefix, in CIDR notation: `10.0.0.0/8`, `fd00::/8`.
package struct AddressBlock: Hashable, Sendable {
  /// The text that the block was read from.
  private let text: String
  private let first: IPAddress
  private let prefixLength: Int

  /// Reads `ADDRESS/LENGTH`, or a single address. Bits after the prefix are ignored. Throws
  /// `badAddressBlock` for any other text.
  package init(parsing text: String) throws(HTTPError) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ IPAddress(parsing: String($0)) }) else {
      throw .badAddressBlock(text)
    }
    let width = address.width
    let length = parts.count == 1 ? width : Decimal.parse(parts[1])
    guard let length, length <= width else { throw .badAddressBlock(text) }
    self.text = text
    first = address
    prefixLength = length
  }

  func contains(_ address: IPAddress) -> Bool {
    guard address.family == first.family else { return false }
    let rest = address.width - prefixLength
    // For "/0", both shifts give 0. So such a block contains every address of its family.
    return address.bits >> rest == first.bits >> rest
  }
}

/// Encodes the block as the text that it was read from.
extension AddressBlock: Codable {
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

extension IPAddress {
  fileprivate var width: Int {
    switch family {
    case .v4: 32
    case .v6: 128
    }
  }
}
