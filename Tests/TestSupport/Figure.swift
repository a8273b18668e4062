import Glibc

/// A number that `docs/internals/semantics.md` promises, within the words around it there.
///
/// A test takes its limit from here, so the test and the document cannot differ. `FigureTests` holds
/// that the document has these words once, in a row that names a test with this figure, and that it
/// has no other number. Each text has one number.
package enum Figure: String, CaseIterable, Sendable {
  // MARK: Never, whatever goes wrong

  case compared = "compares the last of them, 4 KiB at most"
  case comparison = "waits for this comparison, 1 s at most"
  case cautiousRequest = "asks that origin for 1 MiB at most at once"
  case cautiousReach = "for the next 1 GiB;"
  case comparedPlace = "compares 4 KiB at the first"
  case freshness = "10 min if it stated none"

  // MARK: It goes on

  case listing = "answered within 1 s"
  case cachedBytes = "cached bytes within 100 ms"
  case waitingReaders = "while 64 readers wait"
  case lookups = "a lookup waits 2 ms at most"
  case readTimeout = "`--read-timeout` (60 s)"
  case commands = "command answers within 6 s"
  case killed = "is gone within 1 s"
  case ending = "are done within 2 s"
  case goingOn = "reading goes on within 5 s"
  case secondAskFactor = "after four times the usual"
  case secondAskLeast = "time, 1 s at least"
  case secondAskMost = "never more than 3 s over the usual"
  case secondAskShare = "one request in ten"
  case secondAskBan = "none gets one within 1 h"
  case silentTarget = "origin that is silent for 2 s"
  case redirectorPause = "again every 4 s"
  case fruitlessAnswers = "at most 8 answers without a new byte"
  case lineShare = "at least 0.7 times as fast as one connection"
  case maxRetryAfter = "honoured, up to 5 min"
  case probes = "a probe at least every 4 s"
  case pauseTimeout = "for 10 min at most"

  // MARK: It stays

  case onItsWay = "on its way for 2 ms"
  case powerCut = "costs the last 2 s"
  case flushDelay = "flushed 1 s after"
  case descriptors = "only few files open at once, 32 at least"

  // MARK: It costs little

  case pinsAtOnce = "two files at once"
  case pinRetry = "in the end every 60 s"
  case pinBackoff = "fetched again after 1 min"
  case entries = "feed of 100,000 entries"
  case memory = "100 MB of memory"
  case fillMemory = "32 MiB of memory"
  case pageLength = "page of 10 MB"
  case pageEntries = "with 12,000 entries"
  case pageMemory = "in 24 MB of memory"
  case rulePace = "over within 10 ms an entry"
  case liveRule = "left out for 1 h"
  case fewEntries = "else 3,000)"
  case webPages = "asked for 30 web pages an hour"
  case busyOpen = "ends with `EBUSY` within 2 s"
  case pageFailure = "not asked again for 10 min"
  case lanes = "fetched in four lanes at most"
  case fetchesAtOnce = "eight requests for one file at most"
  case requestsAtOnce = "no more than 24 requests at once"
  case silence = "been silent for 2 s"
  case background = "at most two of them"
  case silentAddress = "1 s at most for each silent one"
  case deadAddress = "not tried again for 5 min"
  case besideDead = "comes within 0.3 s"
  case preloaded = "the next two entries"
  case sizesBytes = "32 bytes of a file at a time"
  case sizesASecond = "at most two questions a second"
  case sizesADay = "and 500 a day"
  case sizesPause = "none for 1 h"
  case firstFetch = "past its first 512 KiB"
  case lookedFetch = "the first fetch is 960 KiB"
  case lookedPiece = "further ones are 256 KiB"
  case lookedHead = "read ahead of its first 4 MiB"
  case headAddition = "in a round trip, 1 MiB at most"
  case maxTail = "the last 1 MiB at most"
  case headRequests = "at most 3 requests"
  case scannedHead = "gets the first 1 MiB"
  case seekSize = "read of 256 KiB at another place"
  case seekCost = "at most 2.5 times its bytes"
  case readAheadCost = "nine times the bytes"
  case fastReadAheadCost = "three times where one connection"
  case maxAhead = "never more than 256 MiB"
  case plans = "10,000 seeds"
  case filmAhead = "is 60 s of the film"
  case minFilmAhead = "or 4 MiB if that is more"
  case sparingAhead = "line it is 30 s"
  case minSparingAhead = "or 1 MiB if that is more"
  case comparedShare = "an eighth of the bytes"

  case streamLook = "tells its fragments costs at most 9 requests"
  case streamBeginning = "asked for its first 1 KiB besides"
  case streamTabledBeginning = "for its first 4 KiB if"
  case streamSeekSize = "read of 256 KiB elsewhere in a stream"
  case streamSeekRequests = "costs at most 4 requests and"
  case streamSeekCost = "at most 2.8 times as many bytes"
  case streamNeighbours = "a slot looks at 64 segments at most"
  case chapterTimeout = "A film waits 3 s at most"
  case streamWhole = "read to its end costs at most 1.2 times its bytes"

  case maxGrowth = "up to 20 GiB"
  case withoutEnd = "16 MiB at least, has no end"
  case slowSpan = "brings less in 10 min"
  case slowRate = "than 32 KiB/s where"
  case linger = "for 10 s after its last reader"
  case reopening = "goes on for 0.1 s after the last close"
  case fruitlessBodies = "after 3 answers without a new byte"

  // MARK: It plays

  case positionPace = "saved every 15 s"
  case playerEnds = "and quits within 1 s"

  // MARK: Which answers are taken

  case passedOver = "begin up to 1 MiB before it"
  case weakDate = "less than 60 s before its"
  case shortAnswers = "After two short answers"
  case minBytes = "brings less than 16 KiB for a request"
  case refusalMemory = "no request for 10 min"
  case maxFileLength = "length of more than 4 TiB"
  case renewalPause = "one feed at most once in 5 s"
  case entryRenewalPause = "one entry at most once in 60 s"
  case stallTimeout = "no byte for 10 s"
  case stallShare = "a quarter of `--read-timeout`"
  case secondTimeout = "the next one after 20 s"
  case thirdTimeout = "then after 40 s"
  case trialHold = "Others wait for such a trial 2 s at most"
  case trialWait = "it waits for its turn 10 s at most"
  case trialPause = "is no other trial for 30 s"
  case oneAtATime = "one request at a time for 1 h"
  case redirects = "followed, 20 at most"

  // MARK: Names, sizes and times

  case minBlocks = "progress. It is 1"
  case block = "(512 bytes) for a file"
  case missingShare = "more than half of the earlier entries"
  case refreshInterval = "asked again every 30 min"
  case minRefreshWait = "at most every 5 min"
  case maxRefreshWait = "at least every 24 h"
  case comeback = "30 s after the last request"
  case moveAgreement = "two refreshes in a row agree"
  case lastEntries = "one of the last three entries"
  case pages = "after 1,000 pages"
  case titleName = "at most 240 bytes"
  case sidecar = "arrive within 5 s"

  // MARK: Not kept or not tested yet

  case networkChange = "within 0.5 s"
  case playedShare = "its last tenth in a row"

  /// Further places of the document, and the figures that they repeat.
  package static let repeated: [String: Figure] = [
    "suspect bytes of a broken answer within 1 s": .comparison,
    "brought, 4 KiB at most": .compared,
    "with at most 4 KiB before it": .compared,
    "at most 4 s later": .probes,
    "is left aside after 1 s in the same way": .silentAddress,
  ]
}

extension Figure {
  /// The number and its unit.
  package var quantity: WrittenNumber? {
    let found = WrittenNumber.all(in: rawValue)
    return found.count == 1 ? found[0] : nil
  }

  package var time: Duration { .milliseconds(Int(size)) }
  package var bytes: Int { Int(size) }
  package var count: Int { Int(quantity?.number ?? 0) }
  package var share: Double { quantity?.number ?? 0 }

  private var size: Double {
    (quantity?.number ?? 0) * (quantity?.unit?.size ?? 0)
  }

  // MARK: Limits of measured times

  /// The limit of a time that a test measures: the figure itself where the test runs alone, and
  /// five times as much where other suites may take the processor; more on a slow or busy machine.
  package var limit: Duration { (Self.isAlone ? time : time * 5).here }

  /// Whether no other suite runs: `Tests/run.py` says so in `FEEDFS_ALONE`.
  package static let isAlone = getenv("FEEDFS_ALONE") != nil
}
