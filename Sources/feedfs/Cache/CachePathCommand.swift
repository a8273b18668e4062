import ArgumentParser
import CommandTools
import Control
import Host
import Quantities
import SystemPackage

struct CachePathCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path", abstract: "Print the path of a complete file's bytes in the cache.",
    discussion: "Programs must not change the bytes there, nor expect them to stay.")

  @Argument(help: "The file.", completion: EntryCompletion.places)
  var file: String

  @Flag(help: "Also print the path of an incomplete file: it has zeros where nothing was fetched.")
  var partial = false

  @OptionGroup
  var options: CacheOptions

  func run() async throws {
    try await Caches.with(options) { caches in
      guard let meant = try caches.meant(by: [file]).first, let name = meant.names.first else {
        return
      }
      let item = meant.place.listing.files.first { $0.name == name }
      guard let item, let path = item.path else {
        throw CommandError(
          .noInput, "\(file) is not cached; `feedfs cache fetch` fetches it")
      }
      guard item.isComplete || partial else {
        throw CommandError(
          .unavailable,
          "only \(Quantity.bytes(item.cached)) of \(file) are cached; `feedfs cache fetch` completes it"
        )
      }
      guard options.json else { return say(path) }
      let cache = KeptFiles.Cache(
        mountPoint: meant.place.mountPoint?.string, path: meant.place.listing.path, files: [item])
      say(json: (try? Wire.encode(KeptFiles(caches: [cache]), pretty: true)) ?? [])
    }
  }
}
