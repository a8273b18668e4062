import ArgumentParser
import CommandTools
import Control

struct CacheUnpinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpin", abstract: "Allow files to be evicted when the cache is full.")

  @Argument(help: "The files.", completion: EntryCompletion.places)
  var files: [String]

  @OptionGroup
  var options: CacheOptions

  func run() async throws {
    try await Caches.change(files, options) {
      .unpin($0)
    } then: {
      $0.say("unpinned", options)
    }
  }
}
