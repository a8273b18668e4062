import Catalog
import FeedReading
import Filling

/// Learns where the feed's media files have their index, and decides how many bytes at the end of
/// the next file are requested together with its beginning.
extension VersionMaker {
  /// Returns how many bytes at the end of `entry` are requested together with its beginning; nil
  /// for none. If the file is known to be short, the request for its beginning brings its end too.
  func tail(of entry: CatalogEntry) -> Int? {
    guard entry.isFile, let tail = lines.tail else { return nil }
    let length = entry.known?.length ?? entry.likelyLength ?? .max
    return length - tail > rules.maxHeadFetch ? tail : nil
  }

  /// Learns from the first bytes of a media file, and from the answer to a request for its end. If
  /// the requests of a file are redirected, the file counts as one without an index at the end,
  /// because the request for the end would be redirected too.
  func learn(_ event: EntryFiller.Event, of film: UInt64, from origin: HTTPOrigin) {
    switch event {
    case .foundIndex(let index) where origin.stream == nil:
      lines.note(origin.choice.isAnsweredDirectly ? index : .elsewhere, of: film)
    case .refusedTail: lines.refusedTail()
    case .foundIndex, .becameStale, .needsAddress, .completed, .bufferState, .played, .wasWrong,
      .gaveUp, .quiet, .grows, .grew:
      break
    }
  }
}
