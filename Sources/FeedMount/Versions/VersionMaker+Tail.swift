import Catalog
import FeedReading
import Filling

/// Learns where the films of the feed have their index, and decides how many bytes at the end of
/// the next film are requested together with its head.
extension VersionMaker {
  /// Returns how many bytes at the end of `entry` are requested together with its head; nil for
  /// none. If the film is known to be short, the request for the head already brings its end.
  func tail(of entry: CatalogEntry) -> Int? {
    guard entry.isFile, let tail = lines.tail else { return nil }
    let length = entry.known?.length ?? entry.likelyLength ?? .max
    return length - tail > rules.maxHeadFetch ? tail : nil
  }

  /// Learns from the first bytes of a film, and from the answer to a request for its end. A film
  /// whose requests are redirected counts as one without an index at the end: the second request
  /// would be redirected as well.
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
