import ArgumentParser
import CommandTools
import Control

struct CachePinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Fetch whole files, and never evict them.",
    discussion: """
      All of a pinned file is fetched in the background as soon as its feed is mounted, and none of it is evicted \
      when the cache is full.
      """)

  @Argument(help: "The files.", completion: EntryCompletion.places)
  var files: [String]

  @OptionGroup
  var options: CacheOptions

  func run() async throws {
    try await Caches.change(files, options) {
      .pin($0)
    } then: {
      $0.say("pinned", options)
    }
  }
}
