/// Why an address cannot be a feed's. No sentence repeats what was typed: it may hold a password.
package enum FeedURLError: Error, Hashable, CustomStringConvertible {
  case empty
  case noScheme
  case unsupportedScheme(String)
  case badCharacter
  case noHost
  case badHost
  case badPort

  package var description: String {
    switch self {
    case .empty:
      "the feed's URL is empty: give an address that begins with http:// or https://"
    case .noScheme:
      "the feed's URL has no scheme: let it begin with http:// or https://"
    case .unsupportedScheme(let scheme):
      "the feed's URL begins with \(scheme):, which cannot be read: give an http:// or https:// one"
    case .badCharacter:
      "the feed's URL has a line break or a control character in it: type it anew, in one line"
    case .noHost:
      "the feed's URL names no host: write it as https://host/path"
    case .badHost:
      "the feed's URL has a character in its host that no host has: check its spelling"
    case .badPort:
      "the feed's URL has a port that is not a number from 1 to 65535: correct it or leave it out"
    }
  }
}
