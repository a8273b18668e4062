package import ArgumentParser

/// A mistake in the arguments of a command. The sentence for the user names the help of that
/// command.
package struct Mistake {
  package let sentence: String

  /// - Parameters:
  ///   - root: the command `feedfs`, which has all other commands as subcommands.
  ///   - message: the error message of the argument parser.
  package init(
    _ arguments: some Sequence<String>, of root: any ParsableCommand.Type, message: String
  ) {
    let said = message.reversed().drop { $0 == "." }.reversed()
    // The parser adds the command `help` itself, so it is not among the subcommands.
    let words = arguments.drop { $0 == "help" }.prefix { !$0.hasPrefix("-") }
    let (path, unknown) = Self.path(words, from: root)
    let help = (["feedfs", "help"] + path).joined(separator: " ")
    sentence = unknown ?? "\(String(said)); see `\(help)`"
  }

  /// Finds the mistake in `feedfs help WORD…`; nil if there is none. The parser would not report an
  /// unknown command here: it would show the help of the last known one, and end with success.
  package init?(askingFor arguments: some Sequence<String>, of root: any ParsableCommand.Type) {
    let all = Array(arguments)
    let words = all.drop { $0 == "help" }.prefix { !$0.hasPrefix("-") }
    guard all.first == "help", let unknown = Self.path(words, from: root).unknown else {
      return nil
    }
    sentence = unknown
  }

  /// Returns the known commands at the beginning of `words`. If the next word should be a command
  /// and is none, also returns a sentence about it.
  private static func path(
    _ words: some Sequence<String>, from root: any ParsableCommand.Type
  ) -> (known: [String], unknown: String?) {
    var command: any ParsableCommand.Type = root
    var path: [String] = []
    for word in words {
      let known = command.configuration.subcommands
      guard let next = known.first(where: { names(of: $0).contains(word) }) else {
        guard !known.isEmpty else { break }
        let names = known.compactMap { $0.configuration.commandName }.joined(separator: ", ")
        let place = (["feedfs"] + path).joined(separator: " ")
        return (path, "`\(place)` has no command \"\(word)\"; it has \(names)")
      }
      command = next
      path.append(word)
    }
    return (path, nil)
  }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    [command.configuration.commandName].compactMap { $0 } + command.configuration.aliases
  }
}
