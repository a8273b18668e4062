import Blocks

/// Timeouts and sizes of the fetches of one file.
///
/// The mount or a simulation sets the variables. The constants are the same everywhere.
package struct FillRules: Hashable, Sendable {
  package var waits = Waits()
  package var heads = Heads()
  package var seeks = Seeking()
  package var ahead = Ahead()
  package var sizes = Sizes()
  package let lanes = Lanes()
  package var growth = Growth()
  /// The latency and rate of the line to the origin; nil if no earlier reader has measured them.
  package var line: KnownLine?
  /// True if earlier files have left a second open connection to the origin.
  package var hasSpareConnection = false
  /// The number of bytes at the end of the file that are requested together with the head; nil for
  /// none.
  package var tail: Int?

  package init() {}

  /// The limits for waiting reads.
  package struct Waits: Hashable, Sendable {
    /// The longest time that a read waits. After this time, it fails.
    package var readTimeout: Duration = .seconds(60)
    /// The longest time that a read waits while the network mode is paused.
    package let pauseTimeout: Duration = .seconds(600)
    /// After a read has failed, every read that overlaps it fails at once for this time. Without
    /// this, its reader would wait twice, because the kernel repeats a failed read-ahead page by
    /// page.
    package let failureMemory: Duration = .seconds(1)
    /// The number of answers in a row without a new byte after which the readers of a range get an
    /// error.
    let fruitlessAnswers = 8
    /// The longest time that a reader waits for the comparison of suspect bytes. After it, the
    /// reader gets the cached bytes uncompared, because the origin seems to be unreachable.
    let comparison: Duration = .seconds(1)
  }

  /// The first fetches of a file, by the kind of its reader.
  package struct Heads: Hashable, Sendable {
    /// The size in bytes of a reader's first fetch. With it, a player's first 256 KiB cost one
    /// round trip: while the player reads them in small steps, Linux doubles its read-ahead from 16
    /// to 128 KiB, and asks for up to 496 KiB in all.
    package var firstFetch = 512 << 10
    /// The largest number of bytes that `headFetch` adds to the first fetch if the line is known.
    package let maxAddition = 1 << 20
    /// The size in bytes of the head that is fetched for a scanner, which opens every file to learn
    /// its type. Without this limit, the program `file` would read 7 MiB of each entry of a feed.
    package var scannedHead = 1 << 20
    /// The size in bytes of the first fetch for a program that only inspects media files. Such a
    /// program reads the index and the first picture, which often end behind `firstFetch`. Together
    /// with the fetch of a short index at the end, this makes at most 1 MiB.
    package let lookedFetch = 960 << 10
    /// The size in bytes of each further fetch for a program that only inspects media files. Such a
    /// program can stop reading anywhere, so on average half of its last fetch is useless.
    let lookedPiece = 256 << 10
    /// The bytes that a program that only inspects media files must read in a row before feedfs
    /// reads ahead for it. The program mediainfo reads 3.4 MB.
    package let lookedHead = 4 << 20
    /// How long fetches of the head go on after a program that only inspects files has closed the
    /// file. Such a program may open the file again at once: mediainfo opens it twice before its
    /// first read. Without this time, the fetch would be cancelled, its connection lost, and the
    /// same bytes requested again.
    let reopening: Duration = .milliseconds(100)
  }

  /// The limits for the requests of a seek, and for the fetches that a seek makes useless.
  package struct Seeking: Hashable, Sendable {
    /// The size in bytes of the kernel's largest read request.
    package let kernelRead = 64 << 10
    /// The longest time for which nothing is fetched for a seek, because the kernel may still send
    /// its request for the bytes just before.
    package let hold: Duration = .microseconds(200)
    /// An unwanted fetch runs to its end if at most this many bytes of it are left. Cancelling it
    /// would lose its HTTP/1 connection, and a new connection takes longer to open than these bytes
    /// take to come. The limit exceeds `firstFetch`, so a first fetch runs to its end while no rate
    /// is known.
    package var shortRest = 576 << 10
  }

  /// How far to read ahead, and when a reader counts as playing.
  package struct Ahead: Hashable, Sendable {
    /// The target of the read-ahead, as playing time. Converted to bytes by the rate at which the
    /// file plays or is read, it is at least `minAhead` and at most `maxAhead`.
    package let readAhead: Duration = .seconds(60)
    package var minAhead = 4 << 20
    /// The target of the read-ahead on a line that is metered or limited, as playing time.
    /// Converted to bytes, it is at least `minSparingAhead`.
    package let sparingAhead: Duration = .seconds(30)
    package let minSparingAhead = 1 << 20
    package let maxAhead = 256 << 20
    /// The time from a reader's first read until `played` is reported, if the reader still reads
    /// on. If nil, `played` is never reported.
    package var wholeAfter: Duration?
    /// The time after which an open file counts as playing, if the kernel answers its reads without
    /// the daemon. Programs that only inspect files have closed them by then.
    let unseenPlay: Duration = .seconds(10)
  }

  /// The sizes of fetches after a reader's first one.
  package struct Sizes: Hashable, Sendable {
    /// The size in bytes of the largest fetch at first. When a reader has read more than four times
    /// as many bytes in a row, the limit is a quarter of them, up to `maxFetch`.
    package var initialMaxFetch = 8 << 20
    let maxFetch = 32 << 20
    /// The size in bytes of the largest fetch over the only connection, if new connections would
    /// start slowly and a reader waits. It is large, because each request costs that reader a round
    /// trip.
    let maxWarmFetch = 64 << 20
    /// The size in bytes of the largest fetch, and of the window, while the store evicts blocks to
    /// make room for new ones. It is small so that the read-ahead does not evict its own bytes.
    package var maxFetchIntoMemory = 1 << 20
    /// The number of bytes of a file that are cached in memory if the disk does not take them.
    package var cachedInMemory = 8 << 20
  }

  /// The fetches that run at once.
  package struct Lanes: Hashable, Sendable {
    /// The largest number of fetches that bring bytes at once for one reader. As many more can be
    /// under way, and their answers come when the earlier fetches end.
    package let maxLanes = 4
    /// How long a reader that has just gone past its first fetch must wait before more lanes start.
    /// Its read may be the kernel's read-ahead for a program that only inspects the head. Such a
    /// program has closed the file after this time.
    let grace: Duration = .milliseconds(8)
  }

  /// The limits for a body of unknown length.
  package struct Growth: Hashable, Sendable {
    /// The number of answers in a row without a new byte after which the readers get an error. For
    /// each such answer the origin may have produced the whole body again.
    package let fruitlessBodies = 3
    /// The length in bytes of the longest body that feedfs reads.
    package var maxGrowth = 20 << 30
    /// The size in bytes of a page of the kernel. While the body grows, the kernel is told a size
    /// of whole pages.
    package var kernelPage = 4 << 10
    /// The time for which the fetch of the body goes on after its last reader has closed the file.
    package let linger: Duration = .seconds(10)

    /// The number of bytes that must have come before the file can be opened: one page, which is
    /// the first size that programs are told, and one more byte.
    var firstOfGrowth: Int { kernelPage + 1 }
  }

  /// The size in bytes of the first fetch at the head of a file. If the line is known, it includes
  /// the bytes that come in one more round trip, up to `maxAddition`. So a reader that reads on
  /// need not wait for a second request, and the whole fetch takes two round trips at most.
  var headFetch: Int {
    let added = min(line?.bytesInRoundTrip ?? 0, heads.maxAddition)
    return heads.firstFetch + added / BlockLayout.standardBlockSize * BlockLayout.standardBlockSize
  }

  /// The size in bytes of the largest first fetch at the head of a file, whatever its reader.
  package var maxHeadFetch: Int { max(headFetch, heads.lookedFetch) }
}
