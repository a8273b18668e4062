package import ArgumentParser

/// A mistake in the arguments of a command. Its one line names the help for that command.
package struct Mistake {
  package let sentence: String

  /// - Parameters:
  ///   - root: the top command, with all others below it.
  ///   - message: the message of the parser.
  package init(
    _ arguments: some Sequence<String>, of root: any ParsableCommand.Type, message: String
  ) {
    let said = message.hasSuffix(".") ? String(message.dropLast()) : message
    // The parser has a command `help` of its own.
    let words = arguments.drop { $0 == "help" }.prefix { !$0.hasPrefix("-") }
    var command: any ParsableCommand.Type = root
    var path: [String] = []
    for word in words {
      let known = command.configuration.subcommands
      guard let next = known.first(where: { Self.names(of: $0).contains(word) }) else {
        guard known.isEmpty else {
          let names = known.compactMap { $0.configuration.commandName }.joined(separator: ", ")
          let place = (["feedfs"] + path).joined(separator: " ")
          sentence = "`\(place)` has no command \"\(word)\"; it has \(names)"
          return
        }
        break
      }
      command = next
      path.append(word)
    }
    let help = (["feedfs", "help"] + path).joined(separator: " ")
    sentence = "\(said); see `\(help)`"
  }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    [command.configuration.commandName].compactMap { $0 } + command.configuration.aliases
  }
}
