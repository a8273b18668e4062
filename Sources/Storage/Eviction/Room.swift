/// Whether more may be written into the cache.
package enum Room: Hashable, Sendable {
  case enough
  /// As much is free on its disk as has to stay so.
  case diskIsFull
  /// It takes up what it may, and nothing could go yet.
  case cacheIsFull
}
