import Blocks
import Filling
import Locks

/// Gives the bytes of one fetch to its sink, and remembers how far they reach in the file.
final class FilmOutlet: Sendable {
  let fetch: FetchID
  let sink: any FetchSink
  private let end: Locked<Int>

  /// - Parameter place: the offset of the first byte that is wanted.
  init(_ fetch: FetchID, _ sink: any FetchSink, from place: Int) {
    (self.fetch, self.sink) = (fetch, sink)
    end = Locked(place)
  }

  /// The offset in the file of the next byte to give.
  var place: Int { end.withLock { $0 } }

  /// Gives bytes to the sink.
  func take(_ bytes: ArraySlice<UInt8>, at place: Int) {
    end.withLock { $0 = place + bytes.count }
    sink.received(bytes.span.bytes, at: place, in: fetch)
  }
}
