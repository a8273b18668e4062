import Blocks
@testable import FeedMount
import Glibc
import Logging
import Locks
@testable import Storage
@testable import World
import Filling
import SystemPackage
import TestSupport

/// A fill: a reader reads a file from begin to end, and nothing of it is cached.
///
/// Between libcurl's callbacks and the disk all is the real code, on one thread. The clocks are
/// manual, so that each run does the same.
final class Fill {
  /// Bytes of one read: the most that the kernel requests at once.
  private static let read = 128 << 10
  /// The time in which one read of the socket comes, of a line with 1 GB/s.
  private static let pace = Duration.microseconds(131)

  private let length: Int
  private let source: PieceSource
  private let time = ManualTime()
  private let disk = DiskTime()
  private let cache: CacheDirectory
  private let filler: EntryFiller
  private let handle: FillState.HandleID
  private let folder: String
  private var offset = 0
  private let reader = Reader()

  /// - Parameter mebibytes: the length of the file.
  init(mebibytes: Int) throws {
    length = mebibytes << 20
    source = PieceSource(length: length)
    let version = Representation(length: length, validator: .entityTag("\"0\""))
    folder = try makeTemporaryFolder("fill")
    let root = FilePath(folder)
    let limit = CacheLimit(at: root, bytes: 1 << 40)
    cache = try CacheDirectory(
      at: root, feedKey: "feed", minFree: .bytes(0), limit: limit,
      on: Disk(timer: disk.timer, open: Disk.real.open))
    let address = "http://h.org/v.mp4"
    let log = Logger(label: "fill") { _ in SwiftLogNoOpLogHandler() }
    let choice = AddressChoice(
      of: Candidates([address], current: address), proof: VersionProof(version))
    let needs = OriginNeeds(
      client: source, failures: Failures(now: { 0 }, log), tasks: .real)
    let origin = HTTPOrigin(choice, with: needs) { _ in }
    let file = try cache.open(
      EntryKey(entry: "v"), version, contentType: nil, create: true)
    let store = EntryStore(file, in: cache, length: length, cachedInMemory: 0) {
      preconditionFailure("the disk takes no bytes: \($0)")
    }
    filler = EntryFiller(
      known: version, origin: origin, timekeeper: time, rules: FillRules(), seed: 1,
      makeStore: { _ in store }, tell: { _ in })
    handle = filler.opened(isScanner: false)
  }

  /// Reads the whole file.
  func run() throws {
    readOn()
    while reader.given < length {
      guard try source.serveOne(rest: turn) else { preconditionFailure("nothing is asked for") }
    }
    filler.closed(handle)
  }

  /// Removes the cache. The process must end behind this.
  func end() {
    cache.close()
    Self.clear(folder)
  }

  // MARK: Private

  /// Removes the folder at `path`, and folders and files in it.
  private static func clear(_ path: String) {
    guard let folder = try? File(directory: FilePath(path)) else { return }
    for name in (try? folder.names()) ?? [] where name != "." && name != ".." {
      clear("\(path)/\(name)")
      try? folder.remove(name)
    }
    rmdir(path)
  }

  /// Lets time pass, the disk write, and the reader read.
  private func turn() {
    time.advance(by: Self.pace)
    disk.advance(by: Self.pace)
    readOn()
  }

  private func readOn() {
    while !reader.isWaiting, offset < length {
      let end = min(offset + Self.read, length)
      reader.isWaiting = true
      filler.read(offset..<end, by: handle, into: reader)
      offset = end
    }
  }
}

/// The clock of the disk's writes.
private final class DiskTime: Sendable {
  private let time = ManualTime()

  var timer: Disk.Timer {
    { [time] delay, body in time.call(after: delay, body) }
  }

  func advance(by duration: Duration) {
    time.advance(by: duration)
  }
}

/// Counts the bytes that it receives and ignores their content.
private final class Reader: ByteReceiver {
  private let state = Locked((given: 0, isWaiting: false))

  var given: Int { state.withLock { $0.given } }

  var isWaiting: Bool {
    get { state.withLock { $0.isWaiting } }
    set { state.withLock { $0.isWaiting = newValue } }
  }

  func willWait(cancel: @escaping @Sendable () -> Void) -> Bool { true }

  func receive(_ bytes: RawSpan) -> Bool {
    state.withLock { $0 = ($0.given + bytes.byteCount, false) }
    return true
  }

  func fail(_ error: ReadError) {
    preconditionFailure("a read fails: \(error)")
  }
}
