/// The reason why no request can go to an address. No message repeats the address, because it may
/// contain a password.
package enum AddressError: Error, Hashable, CustomStringConvertible {
  case empty
  case noScheme
  case unsupportedScheme(String)
  case badCharacter
  case noHost
  case badHost
  case badPort
  case unreadable

  package var description: String { sentence(about: "the address") }

  /// Returns a sentence with the reason and a remedy. It calls the address `subject`.
  package func sentence(about subject: String) -> String {
    switch self {
    case .empty:
      "\(subject) is empty: give an address that begins with http:// or https://"
    case .noScheme:
      "\(subject) has no scheme: let it begin with http:// or https://"
    case .unsupportedScheme(let scheme):
      "\(subject) begins with \(scheme):, which feedfs cannot read: give an http:// or https:// address"
    case .badCharacter:
      "\(subject) has a line break or a control character in it: type it again, in one line"
    case .noHost:
      "\(subject) names no host: write it as https://host/path"
    case .badHost:
      "\(subject) has a character that no host name can have: check its spelling"
    case .badPort:
      "\(subject) has a port that is not a number from 1 to 65535: correct it or leave it out"
    case .unreadable:
      "\(subject) cannot be read: check its spelling"
    }
  }
}
