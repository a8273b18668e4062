/// Which reads may wait for the disk at once: as many as there are threads for it, and a few of one file, so
/// that a file which hangs leaves other files theirs.
struct DiskTurns<File: Hashable & Sendable, Work: Sendable>: Sendable {
  private let most: Int
  private let mostOfEach: Int
  /// The longest waiting first.
  private var waiting: [(file: File, work: Work)] = []
  private var running: [File: Int] = [:]
  private var count = 0

  /// - Parameters:
  ///   - most: reads at once.
  ///   - mostOfEach: of one file.
  init(most: Int, ofEach mostOfEach: Int) {
    self.most = most
    self.mostOfEach = mostOfEach
  }

  mutating func add(_ work: Work, of file: File) {
    waiting.append((file, work))
  }

  /// The next that may go on; it counts as under way from here. Nil: there is none.
  mutating func next() -> (file: File, work: Work)? {
    guard count < most,
      let place = waiting.firstIndex(where: { running[$0.file, default: 0] < mostOfEach })
    else { return nil }
    let next = waiting.remove(at: place)
    running[next.file, default: 0] += 1
    count += 1
    return next
  }

  /// One of `file` is not under way any more.
  mutating func ended(_ file: File) {
    count -= 1
    let left = running[file, default: 1] - 1
    running[file] = left > 0 ? left : nil
  }
}
