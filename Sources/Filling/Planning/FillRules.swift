import Blocks

/// Timeouts and sizes of the fetches of one file.
///
/// A variable is set by the mount or varied by simulations. All else is a constant.
package struct FillRules: Hashable, Sendable {
  package var waits = Waits()
  package var heads = Heads()
  package var seeks = Seeking()
  package var ahead = Ahead()
  package var sizes = Sizes()
  package let lanes = Lanes()
  package var growth = Growth()
  /// The line to the origin, if earlier readers have measured it.
  package var line: KnownLine?
  /// True if a second fetch finds an open connection beside that of the first.
  package var hasSpareConnection = false
  /// Bytes of the end that are asked for beside the head; nil if none are.
  package var tail: Int?

  package init() {}

  /// The times that readers wait.
  package struct Waits: Hashable, Sendable {
    /// The longest time that a read waits. It ends with its bytes, or with an error after this time.
    package var readTimeout: Duration = .seconds(60)
    /// The longest time that a read waits while the network mode is paused.
    package let pauseTimeout: Duration = .seconds(600)
    /// After a read has failed, every read that overlaps it fails at once for this time. The kernel
    /// repeats a failed read-ahead page by page, so the reader would wait twice otherwise.
    package let failureMemory: Duration = .seconds(1)
    /// The number of answers in a row without a new byte after which the readers of a range get an
    /// error.
    let fruitlessAnswers = 8
    /// The longest time that a reader waits for the comparison of suspect bytes. After that the
    /// reader gets the cached bytes, because the origin seems to be away.
    let comparison: Duration = .seconds(1)
  }

  /// The first fetches of a file, by the kind of its reader.
  package struct Heads: Hashable, Sendable {
    /// Bytes of a reader's first fetch. A player's first 256 KiB then cost one round trip. The player
    /// reads them in small steps, and Linux doubles its read-ahead from 16 to 128 KiB. So Linux asks
    /// for up to 496 KiB.
    package var firstFetch = 512 << 10
    /// The most bytes by which the first fetch of a head is longer on a line that is known.
    package let maxAddition = 1 << 20
    /// Bytes at the head of a file that are fetched for a scanner. A scanner looks at every file to
    /// learn its type. The program `file` reads 7 MiB at both ends, which for all entries of a feed
    /// would be a lot of traffic.
    package var scannedHead = 1 << 20
    /// Bytes of the first fetch for a program that looks at a film. It reads the index and the first
    /// picture, which often end behind `firstFetch`. The fetch of an index at the end fits into 1 MiB
    /// beside it.
    package let lookedFetch = 960 << 10
    /// Bytes of each further fetch for such a program. It ends its look at any place, and the bytes
    /// fetched behind are useless: half a fetch on average.
    let lookedPiece = 256 << 10
    /// Bytes that a program which looks at a film reads in a row before anything is read ahead for it.
    /// mediainfo reads 3.4 MB.
    package let lookedHead = 4 << 20
    /// The time for which fetches of the head go on after a program that looks at a film has closed
    /// it. It may open the film several times in a row: mediainfo does so twice before its first read.
    /// To cancel such a fetch would cost its connection, and its bytes would be asked for again.
    let reopening: Duration = .milliseconds(100)
  }

  /// The requests of a seek, and the fetches that it leaves behind.
  package struct Seeking: Hashable, Sendable {
    /// Bytes of the largest read request of the kernel.
    package let kernelRead = 64 << 10
    /// The longest time for which nothing is fetched for a seek, because an earlier request of the
    /// same seek may still come.
    package let hold: Duration = .microseconds(200)
    /// The most bytes that an unwanted fetch may still bring before it is cancelled. Letting it end
    /// keeps its connection, because cancelling an HTTP/1 fetch loses the connection. That is cheaper
    /// if the rest comes sooner than a new connection would be open. The limit exceeds `firstFetch`,
    /// so a first fetch runs to its end while no rate is known.
    package var shortRest = 576 << 10
  }

  /// The depth of the read-ahead, and the readers that count as playing.
  package struct Ahead: Hashable, Sendable {
    /// The target of the read-ahead, as playing time at the reader's own rate. The target is at least
    /// `minAhead` and at most `maxAhead` bytes.
    package let readAhead: Duration = .seconds(60)
    package var minAhead = 4 << 20
    /// The same on a line that is metered or limited.
    package let sparingAhead: Duration = .seconds(30)
    package let minSparingAhead = 1 << 20
    package let maxAhead = 256 << 20
    /// The time for which a reader must have read on before `played` is reported. If nil, it is never
    /// reported.
    package var wholeAfter: Duration?
    /// The time after which an open file counts as playing if the daemon does not see its reads.
    /// Programs that only inspect files have closed them by then.
    let unseenPlay: Duration = .seconds(10)
  }

  /// The sizes of fetches behind the first.
  package struct Sizes: Hashable, Sendable {
    /// Bytes of the largest fetch at first. The limit grows to `maxFetch` after the reader has
    /// read four times as many bytes in a row.
    package var initialMaxFetch = 8 << 20
    let maxFetch = 32 << 20
    /// Bytes of the longest fetch for a reader that waits for its only, warm connection. Each request
    /// costs it a round trip.
    let maxWarmFetch = 64 << 20
    /// Bytes of the largest fetch, and of the window, if the store evicts blocks for new ones. The
    /// limit is small so that the read-ahead does not evict its own bytes.
    package var maxFetchIntoMemory = 1 << 20
    /// Bytes of a file that are cached in memory if the disk does not take them.
    package var cachedInMemory = 8 << 20
  }

  /// The fetches that run at once.
  package struct Lanes: Hashable, Sendable {
    /// The largest number of fetches that bring bytes at once for one reader. As many more may wait
    /// for their answers, each for the end of one of these.
    package let maxLanes = 4
    /// The time for which a reader must wait before more lanes start, if it has only just gone past
    /// its first fetch. The kernel reads ahead of a program that looks at a head. The program has
    /// closed the file by then.
    let grace: Duration = .milliseconds(8)
  }

  /// A body of unknown length.
  package struct Growth: Hashable, Sendable {
    /// The number of answers in a row without a new byte after which the readers get an error. Each
    /// such answer may be the whole body, produced again.
    package let fruitlessBodies = 3
    /// Bytes of the longest body that is read.
    package var maxGrowth = 20 << 30
    /// Bytes of a page of the kernel. While such a body grows, the kernel is told its size in whole
    /// pages.
    package var kernelPage = 4 << 10
    /// The time for which the fetch of such a body goes on after its last reader has closed it.
    package let linger: Duration = .seconds(10)

    /// Bytes of such a body from which on it can be opened. By then its size can be told.
    var firstOfGrowth: Int { kernelPage + 1 }
  }

  /// Bytes of the first fetch at the head of a file. If the line is known, they are more by what
  /// comes in a round trip. A reader that reads on then gets these bytes instead of a second round
  /// trip, and a look at a head takes no longer than two of them.
  var headFetch: Int {
    let added = min(line?.bytesInRoundTrip ?? 0, heads.maxAddition)
    return heads.firstFetch + added / BlockLayout.standardBlockSize * BlockLayout.standardBlockSize
  }

  /// Bytes of the longest first fetch at the head of a file, for any reader.
  package var maxHeadFetch: Int { max(headFetch, heads.lookedFetch) }
}
