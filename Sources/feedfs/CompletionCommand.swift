import ArgumentParser

struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion", abstract: "Print the completions for a shell.",
    discussion: """
      For bash: feedfs completion bash > ~/.local/share/bash-completion/completions/feedfs
      """)

  /// A shell for which there are completions.
  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish
  }

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: Shell

  func run() {
    let shell: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    print(Feedfs.completionScript(for: shell))
  }
}
