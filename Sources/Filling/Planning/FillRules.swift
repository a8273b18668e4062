import Blocks

/// Timeouts and sizes of the fetches of one file.
///
/// The mount sets the variables, or simulations vary them. The constants are the same everywhere.
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
  /// True if earlier files have left a second open connection to the origin.
  package var hasSpareConnection = false
  /// The number of bytes at the end that are requested together with the head; nil for none.
  package var tail: Int?

  package init() {}

  /// The limits for waiting reads.
  package struct Waits: Hashable, Sendable {
    /// The longest time that a read waits. After this time, it fails.
    package var readTimeout: Duration = .seconds(60)
    /// The longest time that a read waits while the network mode is paused.
    package let pauseTimeout: Duration = .seconds(600)
    /// After a read has failed, every read that overlaps it fails at once for this time. The kernel
    /// repeats a failed read-ahead page by page, and otherwise its reader would wait twice.
    package let failureMemory: Duration = .seconds(1)
    /// The number of answers in a row without a new byte after which the readers of a range get an
    /// error.
    let fruitlessAnswers = 8
    /// The longest time that a reader waits for the comparison of suspect bytes. Then it gets the
    /// cached bytes uncompared, because the origin seems to be away.
    let comparison: Duration = .seconds(1)
  }

  /// The first fetches of a file, by the kind of its reader.
  package struct Heads: Hashable, Sendable {
    /// Bytes of a reader's first fetch. A player's first 256 KiB then cost one round trip. While
    /// the player reads them in small steps, Linux doubles its read-ahead from 16 to 128 KiB, and
    /// asks for up to 496 KiB in all.
    package var firstFetch = 512 << 10
    /// The limit for the bytes that a known line adds to the first fetch of a head (`headFetch`).
    package let maxAddition = 1 << 20
    /// Bytes at the head of a file that are fetched for a scanner, which opens every file to learn
    /// its type. Without this limit, the program `file` would read 7 MiB of each entry of a feed.
    package var scannedHead = 1 << 20
    /// Bytes of the first fetch for a program that only inspects films. It reads the index and the
    /// first picture, which often end behind `firstFetch`. Together with the fetch of a short index
    /// at the end, this makes at most 1 MiB.
    package let lookedFetch = 960 << 10
    /// Bytes of each further fetch for such a program. It may stop reading anywhere, so on average
    /// half of the last fetch is useless.
    let lookedPiece = 256 << 10
    /// Bytes that such a program must read in a row before feedfs reads ahead for it. mediainfo
    /// reads 3.4 MB.
    package let lookedHead = 4 << 20
    /// The time for which fetches of the head go on after such a program has closed the film,
    /// because it may open the film again at once. mediainfo opens it twice before its first read.
    /// Cancelling the fetch would lose its connection, and the same bytes would be requested again.
    let reopening: Duration = .milliseconds(100)
  }

  /// The requests of a seek, and the fetches that it makes useless.
  package struct Seeking: Hashable, Sendable {
    /// Bytes of the kernel's largest read request.
    package let kernelRead = 64 << 10
    /// The longest time for which nothing is fetched for a seek, because the kernel may still send
    /// its request for the bytes just before.
    package let hold: Duration = .microseconds(200)
    /// An unwanted fetch runs to its end if at most this many bytes of it are left. Cancelling it
    /// would lose its HTTP/1 connection, and a new one takes longer to open than so few bytes take
    /// to come. The limit exceeds `firstFetch`, so a first fetch runs to its end while no rate is
    /// known.
    package var shortRest = 576 << 10
  }

  /// How far to read ahead, and when a reader counts as playing.
  package struct Ahead: Hashable, Sendable {
    /// The target of the read-ahead, as playing time at the film's rate or the reader's own. The
    /// target is at least `minAhead` and at most `maxAhead` bytes.
    package let readAhead: Duration = .seconds(60)
    package var minAhead = 4 << 20
    /// The target on a line that is metered or limited, where it is at least `minSparingAhead`
    /// bytes.
    package let sparingAhead: Duration = .seconds(30)
    package let minSparingAhead = 1 << 20
    package let maxAhead = 256 << 20
    /// The time from a reader's first read until `played` is reported, if it still reads on. If
    /// nil, `played` is never reported.
    package var wholeAfter: Duration?
    /// The time after which an open file counts as playing, if the kernel reads it without the
    /// daemon. Programs that only inspect files have closed them by then.
    let unseenPlay: Duration = .seconds(10)
  }

  /// The sizes of fetches behind the first.
  package struct Sizes: Hashable, Sendable {
    /// Bytes of the largest fetch at first. For a reader that has read four times as many in a row,
    /// the limit is a quarter of what it has read, up to `maxFetch`.
    package var initialMaxFetch = 8 << 20
    let maxFetch = 32 << 20
    /// Bytes of the largest fetch over the only connection, if new ones would start slowly and a
    /// reader waits. Each request costs that reader a round trip.
    let maxWarmFetch = 64 << 20
    /// Bytes of the largest fetch, and of the window, while the store evicts blocks for new ones.
    /// The limit is small so that the read-ahead does not evict its own bytes.
    package var maxFetchIntoMemory = 1 << 20
    /// Bytes of a file that are cached in memory if the disk does not take them.
    package var cachedInMemory = 8 << 20
  }

  /// The fetches that run at once.
  package struct Lanes: Hashable, Sendable {
    /// The largest number of fetches that bring bytes at once for one reader. As many more may be
    /// under way, whose answers come when these fetches end.
    package let maxLanes = 4
    /// A reader that has only just gone past its first fetch must wait this long before more lanes
    /// start. It may be the kernel's read-ahead for a program that only inspects the head. Such a
    /// program has closed the file by then.
    let grace: Duration = .milliseconds(8)
  }

  /// A body of unknown length.
  package struct Growth: Hashable, Sendable {
    /// The number of answers in a row without a new byte after which the readers get an error. For
    /// each such answer the origin may have produced the whole body again.
    package let fruitlessBodies = 3
    /// Bytes of the longest body that is read.
    package var maxGrowth = 20 << 30
    /// Bytes of a page of the kernel. While the body grows, the kernel is told a size of whole
    /// pages.
    package var kernelPage = 4 << 10
    /// The time for which the fetch of the body goes on after its last reader has closed the file.
    package let linger: Duration = .seconds(10)

    /// The number of bytes that must have come before the file can be opened: one page, which is
    /// its first size, and one byte behind that page.
    var firstOfGrowth: Int { kernelPage + 1 }
  }

  /// Bytes of the first fetch at the head of a file. On a known line, they include the bytes that
  /// come in one more round trip, up to `maxAddition`. So a reader that reads on need not wait for
  /// a second request, and the whole fetch takes two round trips at most.
  var headFetch: Int {
    let added = min(line?.bytesInRoundTrip ?? 0, heads.maxAddition)
    return heads.firstFetch + added / BlockLayout.standardBlockSize * BlockLayout.standardBlockSize
  }

  /// Bytes of the largest first fetch at the head of a file, whatever its reader.
  package var maxHeadFetch: Int { max(headFetch, heads.lookedFetch) }
}
