import ArgumentParser
import CommandTools
import Control
import Markup
import Quantities
import SystemPackage

struct CacheListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the cached files.")

  @Argument(help: "The files; by default all.", completion: EntryCompletion.places)
  var files: [String] = []

  @OptionGroup
  var options: CacheOptions

  func run() async throws {
    try await Caches.with(options) { caches in
      let found = try caches.meant(by: files).map { place, names in
        try place.check(names)
        let items = place.listing.files.filter { names.isEmpty || names.contains($0.name) }
        return KeptFiles.Cache(
          mountPoint: place.mountPoint?.string, path: place.listing.path, files: items)
      }
      guard !options.json else {
        return say(json: (try? Wire.encode(KeptFiles(caches: found), pretty: true)) ?? [])
      }
      // An unmounted cache without files gets no line, unless it is the only one.
      let told = found.filter { $0.mountPoint != nil || !$0.files.isEmpty || found.count == 1 }
      for cache in told { say(table: Self.table(of: cache)) }
    }
  }

  private static func table(of cache: KeptFiles.Cache) -> [String] {
    let stored = cache.files.reduce(0) { $0 + $1.stored }
    let head = "\(cache.mountPoint ?? "not mounted"), \(Quantity.bytes(stored)) in \(cache.path)"
    let width = cache.files.map(\.name.count).max() ?? 0
    return [head] + cache.files.map { line(of: $0, width) }
  }

  private static func line(of item: CacheItem, _ width: Int) -> String {
    let name = PrintableText.line(item.name)
    let kept = Quantity.bytes(item.cached)
    let share =
      item.isListed
      ? "\(kept) of \(item.size.map(Quantity.bytes) ?? "?")" : Quantity.bytes(item.stored)
    let state =
      item.isPinned
      ? "pinned"
      : item.isKept == true
        ? "kept" : !item.isListed ? "not listed" : item.isComplete ? "complete" : "partial"
    let columns = [(name, width), (state, 10), (share, 22)].map { text, width in
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    return (columns + [PrintableText.line(item.title)]).joined(separator: "  ")
  }
}
