package import Host
import Glibc
import Playback
import SystemPackage

/// The player that the user has chosen.
package struct PlayerProgram: Sendable {
  package let path: String
  /// True if the player is mpv. Only mpv can be controlled while it plays.
  package let isMPV: Bool

  /// - Parameter name: a path, or a name that is looked up in the directories of `PATH`.
  package init(_ name: String) throws(CommandError) {
    guard let path = Program.find(name), access(path, X_OK) == 0 else {
      let cure =
        name == "mpv"
        ? "install it (`apt install mpv`), or name another player with --player"
        : "name an installed one with --player, or with `player` in config.toml"
      throw CommandError(.unavailable, "there is no player \(name); \(cure)")
    }
    self.path = path
    isMPV = path.split(separator: "/").last == "mpv"
  }

  /// Returns the options with which mpv is started. mpv treats a mount as a network source, and
  /// would read 150 MiB ahead. The mount itself reads ahead, so a few seconds are enough for mpv.
  /// Without `--cache-pause-initial`, mpv would begin with the first picture, and soon stop again
  /// if bytes come slowly.
  ///
  /// - Parameter steers: whether mpv stops at the end of each entry.
  package static func options(loops: Bool, steers: Bool) -> [String] {
    [
      "--input-ipc-client=fd://3", "--idle=yes", "--cache-secs=\(Standstill.buffer)",
      "--cache-pause-initial=yes",
    ]
      + (steers ? ["--keep-open=always", "--keep-open-pause=no"] : [])
      + (loops ? ["--loop-playlist=inf"] : [])
  }

  /// Returns the program to run with `arguments`. It uses the terminal of the command for input and
  /// output.
  package func program(_ arguments: [String]) -> Program {
    var program = Program(path)
    program.arguments = arguments
    program.input = .standardInput
    program.output = .standardOutput
    program.errors = .standardError
    return program
  }

  /// Returns the error of the command for the given end of the player; nil if the player has
  /// succeeded.
  package func complaint(about end: Program.End?) -> CommandError? {
    switch end {
    case .code(0): nil
    case .code(1) where isMPV:
      CommandError(
        .unavailable,
        "\(path) could not start, as it says above; feedfs needs mpv 0.33 or later")
    case .code(2) where isMPV:
      CommandError(.inputOutput, "nothing could be played; `feedfs status` may say why")
    case .code(3) where isMPV:
      CommandError(.inputOutput, "some entries could not be played; `feedfs status` may say why")
    case .code(let code): CommandError(.unavailable, "\(path) ended with exit code \(code)")
    case .signal(let signal): CommandError(.unavailable, "\(path) was ended by signal \(signal)")
    case nil: CommandError(.unavailable, "it is not known how \(path) ended")
    }
  }
}
