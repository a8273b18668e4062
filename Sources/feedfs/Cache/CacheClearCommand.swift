import ArgumentParser
import CommandTools
import Control
import Host

struct CacheClearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Clear files from the cache, or all files that are not pinned.",
    discussion: """
      A file that is being played goes on, and is fetched again. Pinned files stay.
      """)

  @Argument(
    help: "The files; by default all that are not pinned.", completion: EntryCompletion.places)
  var files: [String] = []

  @OptionGroup
  var options: CacheOptions

  func run() async throws {
    try await Caches.change(files, options) {
      .clear($0)
    } then: { outcome in
      outcome.say("cleared", options)
      guard let pinned = outcome.pinned.first, !files.isEmpty else { return }
      throw CommandError(
        .unavailable, "\(pinned) is pinned, and was not cleared; use `feedfs cache unpin` first")
    }
  }
}
