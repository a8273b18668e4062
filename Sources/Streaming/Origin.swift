package import Blocks

/// Where the bytes of one representation come from.
///
/// Called from any thread; returns at once. What follows is told to the sink on the origin's own
/// thread, in order.
package protocol Origin: Sendable {
  /// Asks for `bytes`; while no answer has told the length, they may reach beyond the end.
  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink)

  /// Somebody waits for `fetch` now, whatever its urgency was.
  func hasten(_ fetch: FetchID)

  /// Nobody wants `fetch` any more; its `ended` may still come, and is ignored.
  func cancel(_ fetch: FetchID)

  /// An answer of it went on elsewhere behind a break: it is to be asked for little at once.
  func wasWrong()
}

/// The name of a fetch, unique within one representation.
package typealias FetchID = Int

/// Why bytes are asked for: somebody waits for them, will probably do so soon, or may do so one day.
package enum Urgency: Sendable {
  case demand, ahead, background
}
