import Catalog
import FeedReading
import TestSupport

@testable import FeedMount
@testable import Storage

/// A life in which one call that changes the disk fails, alone or with all that follow. Files are
/// filled, cleared, evicted and closed meanwhile.
extension Simulation {
  /// Whether the first page of the feed has a file of ten blocks and two other ones.
  var suitsFills: Bool {
    let resources = Set(feed.items.prefix(SimulatedFeed.pageLength).map(\.resource))
    return resources.isSuperset(of: [0, 2, 5])
  }

  /// Runs the life; returns the first broken promise, if any.
  func fill(failing failure: SimulatedDisk.Failure) -> String? {
    defer { vanish() }
    var random = SeededRandom(seed: seed)
    begin()
    refresh(&random)
    settle(&random)
    oracle.mayForget = true
    oracle.causes += 1000
    disk.failure = failure
    play(&random)
    tellOfFailure(&random)
    // The next process may find the disk as it is.
    restart()
    if let numbers, complaint == nil { readWhole(numbers.long, &random) }
    disk.failure = nil
    restart()
    for entry in mount.map({ Array($0.live.catalog.listed) }) ?? [] where complaint == nil {
      readWhole(entry.number, &random)
    }
    if complaint == nil { goOffline() }
    return complaint
  }

  /// Plays files to and fro.
  private func play(_ random: inout SeededRandom) {
    guard let numbers, let mount else { return complain("the files are not listed") }
    // Two readers of one file, the second one behind the first.
    guard let first = opened(numbers.long, &random), let second = opened(numbers.long, &random)
    else { return }
    read(first, to: 300_000, &random)
    while complaint == nil, second.position < length(of: second) {
      read(first, to: first.position + 128 << 10, &random)
      read(second, to: second.position + 64 << 10, &random)
    }
    close(first)
    // The cleared file is open, and begins anew.
    guard let third = opened(numbers.short, &random) else { return }
    read(third, to: 100_000, &random)
    mount.clear([numbers.short], isAll: false)
    read(third, to: length(of: third), &random)
    // Bytes are flushed after a second. Then the files are closed.
    mount.advance(by: .milliseconds(1200))
    settle(&random)
    close(second)
    close(third)
    settle(&random)
    // The file is punched, and filled again.
    for version in mount.cache.versions().map(\.name).sorted() {
      _ = mount.cache.giveUp(
        version, keeping: RetainedEnds(head: 64 << 10, tail: 64 << 10), bytes: 256 << 10)
    }
    readWhole(numbers.long, &random)
  }

  /// Checks that the status has the problem if the disk takes nothing more.
  private func tellOfFailure(_ random: inout SeededRandom) {
    guard complaint == nil, let numbers, let mount, disk.failure?.stays == true else { return }
    let (fetches, hadFailed) = (web.fetches, disk.hasFailed)
    readWhole(numbers.other, &random)
    // The file may have been fetched before, as the next one in the feed. A call that fails at the end
    // may be for something else than bytes.
    guard web.fetches > fetches, hadFailed else { return }
    if mount.feed.problems.current == nil { complain("nobody is told") }
  }

  // MARK: Readers that must be served

  private func readWhole(_ number: Int, _ random: inout SeededRandom) {
    guard let viewer = opened(number, &random) else { return }
    read(viewer, to: length(of: viewer), &random)
    close(viewer)
    settle(&random)
  }

  private func opened(_ number: Int, _ random: inout SeededRandom) -> Viewer? {
    guard complaint == nil, let entry = mount?.live.entry(number: number), let viewer = open(entry)
    else { return nil }
    settle(&random)
    if viewer.body == nil { complain("entry \(number) cannot be opened") }
    return viewer
  }

  /// Reads on up to `end`. The reader may get no error, and every byte must come.
  private func read(_ viewer: Viewer, to end: Int, _ random: inout SeededRandom) {
    let end = min(end, length(of: viewer))
    while complaint == nil, viewer.position < end {
      let before = viewer.position
      read(min(128 << 10, end - before), by: viewer)
      settle(&random)
      if viewer.position == before {
        complain("a reader at \(before) gets \(viewer.error.map { "\($0)" } ?? "nothing")")
      }
    }
  }

  private func length(of viewer: Viewer) -> Int { viewer.body?.bytes.count ?? 0 }

  /// The numbers of a file of ten blocks, of one of five, and of one that is read last.
  private var numbers: (long: Int, short: Int, other: Int)? {
    func number(of resource: Int) -> Int? {
      mount?.live.catalog.listed.first { Address($0.media.url)?.resource == resource }?.number
    }
    guard let long = number(of: 5), let short = number(of: 2), let other = number(of: 0) else {
      return nil
    }
    return (long, short, other)
  }
}
