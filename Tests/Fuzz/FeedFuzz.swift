// Built with modules that a sanitizer watches: see fuzz.sh.

import Addresses
import Streams

@testable import Catalog
@testable import FeedReading

/// Checks for any bytes that parsing ends, and that the result makes a consistent catalog.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var choice = MediaChoice()
  choice.audio = count % 2 == 0
  guard let feed = try? FeedParser.parse(bytes, base: "https://h.org/dir/f", choice: choice) else {
    return 0
  }
  _ = FeedReport.json(of: feed, all: true)
  _ = FeedReport.table(of: feed, all: true)
  guard let key = try? FeedKey("https://h.org/dir/f") else { return 0 }
  var catalog = Catalog(feed: key)
  func ending(_ media: Media) -> String {
    MediaType.fileExtension(type: media.type, url: media.url)
  }
  _ = catalog.merge(feed, now: 1_800_000_000, fileExtension: ending)
  check(catalog)
  let names = catalog.entries.map(\.name)
  var reversed = feed
  reversed.entries.reverse()
  _ = catalog.merge(reversed, now: 1_800_000_100, fileExtension: ending)
  _ = catalog.extend(with: feed, now: 1_800_000_200, fileExtension: ending)
  check(catalog)
  precondition(
    Array(catalog.entries.map(\.name).prefix(names.count)) == names, "a name has changed")
  guard let decoded = try? Catalog(decoding: catalog.encoded()) else {
    preconditionFailure("a snapshot cannot be read")
  }
  precondition(decoded == catalog, "a snapshot is another catalog")
  return 0
}

private func check(_ catalog: Catalog) {
  var titles: Set<String> = []
  for entry in catalog.entries {
    let own = entry.name
    precondition(own.utf8.count <= 240 && own.utf8.allSatisfy { $0 >= 32 && $0 != 47 }, "a name")
    let name = entry.titleName
    precondition(titles.insert(name).inserted, "two links have one name")
    precondition(name.utf8.count <= 240 && !name.contains("/"), "a name is no name")
    precondition(!name.unicodeScalars.contains { $0.value < 32 }, "a name has controls")
    for sidecar in Sidecar.all(of: entry, kinds: Set(Sidecar.Kind.allCases)) {
      precondition(sidecar.name.utf8.allSatisfy { $0 >= 32 && $0 != 47 }, "a sidecar's name")
      _ = sidecar.content(of: entry)
    }
  }
  _ = Playlist.m3u8(of: catalog).joined
}
