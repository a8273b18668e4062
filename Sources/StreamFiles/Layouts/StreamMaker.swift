package import Blocks
package import FeedReading
package import HTTP
package import Storage
package import Streams
package import World

/// Makes a `StreamOrigin` for each stream of a feed.
package struct StreamMaker: Sendable {
  let pieces: PieceClient
  /// The queue on which the bytes of the streams' files are made.
  let queue: any JobQueue
  let layouts: SavedLayouts
  /// The user's choice among the tracks.
  let wishes: StreamWishes
  let wall: WallClock

  /// Makes the origin of one version of a stream.
  ///
  /// - Parameters:
  ///   - expected: the version that the stream should have; nil if no version is known.
  ///   - before: the choice of tracks that was played before; nil if none was.
  ///   - chapters: the entry's chapters, for a stream that has no chapters of its own.
  ///   - find: finds the tracks. `anew` is true if the addresses that were found before do not work
  ///     any more.
  package func origin(
    expected: Representation?, before: String?, chapters: ChapterFinder = ChapterFinder(),
    find: @escaping @Sendable (_ finder: StreamFinder, _ anew: Bool) async throws -> StreamSource
  ) -> StreamOrigin {
    var wishes = wishes
    wishes.before = before
    var pieces = pieces
    pieces.cookies = CookieJar()
    let finder = StreamFinder(pieces: pieces, wishes: wishes, wall: wall)
    return StreamOrigin(
      pieces, on: queue, layouts, chapters: chapters, expected: expected
    ) { anew in
      try await find(finder, anew)
    }
  }
}

extension StreamMaker {
  /// Creates the maker for a feed; nil if the user wants no streams.
  ///
  /// - Parameter feed: the address of the feed as the user typed it.
  package init?(
    choosing media: MediaChoice, of feed: TypedAddress?, cache: CacheDirectory, in world: World
  ) {
    guard let wishes = StreamWishes(media) else { return nil }
    // One thread makes the bytes of all streams' files, and begins and ends the fetches.
    let (tasks, queue) = world.alone(on: "feedfs.streams")
    self.init(
      pieces: PieceClient(client: world.network, feed: feed, tasks: tasks), queue: queue,
      layouts: SavedLayouts(cache: cache), wishes: wishes, wall: world.wall)
  }
}
