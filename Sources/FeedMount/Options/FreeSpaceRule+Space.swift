package import Quantities
package import Storage

extension FreeSpaceRule {
  package init(_ space: Space) {
    switch space {
    case .bytes(let count): self = .bytes(count.bytes)
    case .percent(let percent): self = .percent(percent)
    }
  }

  /// The rule as the user would write it: "5%", "10G".
  var text: String {
    switch self {
    case .bytes(let bytes): Space.bytes(ByteCount(bytes)).text
    case .percent(let percent): Space.percent(percent).text
    }
  }
}
