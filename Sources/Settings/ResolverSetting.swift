/// The way in which the media of web pages are found.
package enum ResolverSetting: Hashable, Sendable {
  /// A program and its arguments. One of the arguments contains `{url}`.
  case command([String])
  /// yt-dlp, with arguments that feedfs chooses.
  case ytDLP
  /// feedfs reads the web page of each entry itself, and runs no program.
  case page
  /// No web page is read, and no program is run.
  case none

  /// The cases for which the user writes a name, by this name.
  static let named: [String: ResolverSetting] = ["yt-dlp": .ytDLP, "page": .page, "none": .none]
}

extension SettingsReader {
  /// Reads a name, or a list of a program and its arguments.
  mutating func resolver(_ key: String) throws(SettingsError) -> ResolverSetting? {
    guard let words = try textOrTexts(key) else { return nil }
    switch words {
    case .one(let name):
      guard let known = ResolverSetting.named[name] else {
        let names = ResolverSetting.named.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        throw error(key, "can be \(names), or a list: a program and its arguments, with {url}")
      }
      return known
    case .several(let command):
      guard !command.isEmpty else { return ResolverSetting.none }
      guard command.dropFirst().contains(where: { $0.contains("{url}") }) else {
        throw error(key, "has to have {url} in one of its arguments")
      }
      return .command(command)
    }
  }
}

extension ResolverSetting: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: String...) {
    self = .command(elements)
  }
}
