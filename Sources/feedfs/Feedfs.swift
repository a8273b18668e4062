import ArgumentParser
import CommandTools
import Dispatch
import HTTP
import Host

@main
struct Feedfs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feedfs",
    abstract: "Watch remote feeds of video with the tools you already have.",
    discussion: """
      A feed becomes a folder of ordinary files; what is read is fetched, and what was fetched stays.

        feedfs mount https://example.org/videos.rss ~/feed
        mpv ~/feed/0001.mp4
        feedfs unmount ~/feed
      """,
    version: Product.version,
    subcommands: [
      MountCommand.self, UnmountCommand.self, StatusCommand.self, PlayCommand.self,
      PauseCommand.self, OfflineCommand.self, OnlineCommand.self, LimitCommand.self,
      MeteredCommand.self,
      CacheCommand.self, FeedCommand.self, DoctorCommand.self, CompletionCommand.self,
    ])

  /// Runs the command as the parser's own `main` does, but reports wrong arguments in one line.
  static func main() async {
    let arguments = Self.spelledOut(CommandLine.arguments)
    guard !arguments.isEmpty else {
      // Swift reads the arguments from /proc. If /proc is not mounted, there are no arguments, not
      // even the program's name.
      exit(
        withError: complain(
          CommandError(
            .unavailable,
            "/proc is not mounted, and feedfs needs it; `mount -t proc proc /proc` mounts it"
          )))
    }
    MountQuestion.answerIfAsked(arguments)
    // Every mount needs libcurl, which takes longer to load than the program. So loading begins
    // now.
    let isMount = arguments.dropFirst().first == "mount"
    if isMount { DispatchQueue.global().async { HTTPClient.prepare() } }
    await Daemon.serveIfAsked(arguments, subscriptions: MountCommand.subscriptions)
    let failure = await Self.failure(of: arguments)
    // The process must not end while a thread is loading libcurl, so this waits for that thread.
    if isMount { HTTPClient.prepare() }
    exit(withError: failure)
  }

  /// Returns the arguments as the parser expects them. For the type `fuse.feedfs`, mount(8) calls
  /// `feedfs URL DIRECTORY -o …`, without "mount".
  private static func spelledOut(_ arguments: [String]) -> [String] {
    guard arguments.count > 1 else { return arguments }
    switch arguments[1] {
    case "-V", "-v", "version": return [arguments[0], "--version"] + arguments.dropFirst(2)
    case let first where first.contains("://"):
      return [arguments[0], "mount"] + arguments.dropFirst()
    default: return arguments
    }
  }

  /// Runs the command. Returns the error for `exit` if the command failed; otherwise nil.
  private static func failure(of arguments: [String]) async -> (any Error)? {
    if let mistake = Mistake(askingFor: arguments.dropFirst(), of: Self.self) {
      return complain(CommandError(.usage, mistake.sentence))
    }
    do {
      var command = try parseAsRoot(Array(arguments.dropFirst()))
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return nil
    } catch let code as ExitCode {
      return code  // already reported
    } catch {
      guard exitCode(for: error) == .validationFailure else { return error }
      let mistake = Mistake(arguments.dropFirst(), of: Self.self, message: message(for: error))
      return complain(CommandError(.usage, mistake.sentence))
    }
  }
}
