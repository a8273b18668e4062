import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A clock that is years wrong loses nothing, in either direction.
  @Suite(
    .timeLimit(.minutes(2)), .enabled(if: Clock.library != nil, "faketime is not installed"))
  struct ClockTests {
    @Test(arguments: [[0, 3_650, 0], [0, -3_650, 0], [3_650, -3_650]])
    func nothingIsLostWhateverTheClockSays(days: [Int]) throws {
      let feed = try MountedFeed()
      var written = WrittenFeed(pages: [[1, 2].map { WrittenFeed.Item($0) }])
      try written.serve(by: feed)
      for (index, days) in days.enumerated() {
        try feed.mount(written.path, options: ["--refresh", "3600"], by: Clock.set(days: days))
        let before = index + 2
        // A mount that starts from its snapshot asks the feed at once, however old the snapshot is.
        let isListed = try eventually { try feed.entries() == Array(1...before) }
        #expect(isListed, "\(days)")
        try expectRight(feed, Array(1...before))
        // Bytes that were read before the clock was set are not fetched again.
        let sent = try feed.mediaRequests().reduce(0) { $0 + $1.bytesSent }
        #expect(sent <= (index == 0 ? 2 : 1) * WrittenFeed.Item(1).size, "\(days)")

        written.pages[0].insert(WrittenFeed.Item(100 + index), at: 0)
        try written.serve(by: feed)
        try feed.unmount()
        try feed.origin.reset()
      }
    }

    private func expectRight(_ feed: MountedFeed, _ numbers: [Int]) throws {
      for number in numbers {
        let item = WrittenFeed.Item(number <= 2 ? number : 97 + number)
        let bytes = try feed.bytes(of: feed.path(number))
        #expect(bytes == Pattern.bytes(0..<item.size, seed: item.file.seed), "\(number)")
      }
      try feed.settle()
    }
  }
}

/// The clock of a daemon, set with faketime(1): only the date changes, not the monotonic clock.
private enum Clock {
  static let library = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
    .map { $0 + "/faketime/libfaketime.so.1" }.first { access($0, R_OK) == 0 }

  static func set(days: Int) -> [String] {
    guard let library, days != 0 else { return [] }
    // The second `env` is there because the library takes the arguments of the first program that
    // loads it.
    return [
      "env", "LD_PRELOAD=\(library)", "FAKETIME=\(days < 0 ? "" : "+")\(days)d",
      "FAKETIME_DONT_FAKE_MONOTONIC=1", "NO_FAKE_STAT=1", "env",
    ]
  }
}
