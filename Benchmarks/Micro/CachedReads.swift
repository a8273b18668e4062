import Blocks
import Filling
import Locks
import TestSupport

/// Reads of cached bytes through `EntryFiller`: all the daemon's work for such a read between the
/// FUSE layer and the store.
final class CachedReads {
  /// Bytes of one read: the most that the kernel requests at once.
  static let size = 128 << 10

  private static let file = PatternBody(length: 8 << 20)
  private let filler: EntryFiller
  private let handle: FillState.HandleID
  private let taker = Taker()
  private var offset = 0

  static var benchmarks: [Benchmark] {
    let reads = CachedReads()
    return [Benchmark("EntryFiller: read 128 KiB that are held") { reads.readOnce() }]
  }

  /// Fills the file with one read of all its bytes.
  init() {
    let refuse: @Sendable (String) -> Void = { preconditionFailure($0) }
    let file = Self.file
    let origin = ScriptedOrigin(file, refuse: refuse)
    filler = EntryFiller(
      known: file.representation, origin: origin, timekeeper: ManualTime(), rules: FillRules(),
      seed: 1, makeStore: { _ in MemoryBlockStore(length: file.length, refuse: refuse) },
      tell: { _ in })
    handle = filler.opened(isScanner: false)
    filler.read(0..<file.length, by: handle, into: Taker())
    origin.serveAll()
  }

  /// The bytes that the reads received.
  var given: Int { taker.given.withLock { $0 } }

  func readOnce() {
    filler.read(offset..<offset + Self.size, by: handle, into: taker)
    offset = (offset + Self.size) % Self.file.length
  }
}

/// Counts the bytes that it receives and ignores their content.
private final class Taker: ByteReceiver {
  let given = Locked(0)

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool { true }

  func receive(_ bytes: RawSpan) -> Bool {
    given.withLock { $0 += bytes.byteCount }
    return true
  }

  func fail(_ error: ReadError) {}
}
