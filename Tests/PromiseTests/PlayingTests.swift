import Control
import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

extension Promises {
  /// Bytes read through the mount are the origin's bytes.
  @Suite(.timeLimit(.minutes(Claim.minutes)), .whateverLengthTheFeedClaims) struct PlayingTests {
    /// The bytes that an abandoned answer loses in its socket: about what one holds on a busy
    /// machine.
    private static let lostInSocket = 2 << 20

    @Test func aFileReadThroughTheMountIsTheOriginsAndComesFromTheCacheAfterwards() throws {
      let feed = try MountedFeed()
      let file = PatternFile(name: "a", size: 64 << 20)
      try feed.serve([file, PatternFile(name: "b", size: 1 << 20)])
      try feed.mount()
      let truth = try feed.truth(of: file)
      #expect(try feed.digest(of: feed.path(1)) == truth)
      try feed.unmount()

      // With the network: only the feed is asked for.
      try feed.origin.reset()
      try feed.mount()
      #expect(try feed.digest(of: feed.path(1)) == truth)
      try feed.unmount()
      #expect(try feed.origin.log(below: "/pattern/\(file.name).").isEmpty)

      // Without the network.
      feed.origin.stop()
      let start = try measured { try feed.mount() }
      print("offline start: \(start)")
      #expect(start < .seconds(8).here)
      #expect(
        try feed.names().sorted() == [
          "0001.mp4", "0002.mp4", "by-title", "new", "playlist.m3u8", "started",
        ])
      #expect(try feed.digest(of: feed.path(1)) == truth)
      #expect(try eventually { try feed.status().feeds[0].error != nil })
      let status = try feed.status()
      #expect(status.files.count == 2 && status.files.first?.cached == 64 << 20)
      #expect(status.origins.allSatisfy { $0.bytes == 0 })
      try feed.unmount()
    }

    @Test(arguments: [false, true])
    func fourReadersOfAColdFileCostItsBytesOnce(throughASlowNetwork isSlow: Bool) throws {
      let feed = try MountedFeed()
      let file = PatternFile(name: "a", size: 24 << 20)
      try feed.serve([file])
      try feed.mount()
      let truth = try feed.truth(of: file)
      if isSlow { try feed.origin.network(latency: .milliseconds(30), rate: 12 << 20) }

      let readers = try (0..<4).map { _ in try ChildProcess(["sha256sum", feed.path(1)]) }
      for reader in readers {
        #expect(reader.wait(timeout: .seconds(40)) == 0)
        #expect(reader.output.text.hasPrefix(truth))
      }
      try feed.settle()
      try checkCost(of: file, feed)
    }

    /// Ending a nearly complete answer would cost its connection, and the next open a round trip.
    @Test func aLookAtAHeadKeepsItsConnection() throws {
      let feed = try MountedFeed()
      try feed.serve((0..<3).map { PatternFile(name: "\($0)", size: 4 << 20) })
      try feed.mount()
      try feed.origin.network(rate: 4 << 20)
      for number in 1...3 {
        _ = try MountedFile(feed.path(number)).read(0..<4_096)
        try feed.settle()
      }

      let requests = try feed.mediaRequests()
      #expect(requests.map(\.bytesSent) == [512 << 10, 512 << 10, 512 << 10])
    }

    @Test func fourReadersAtFourPlacesCostTheBytesOnce() throws {
      let feed = try MountedFeed()
      let file = PatternFile(name: "a", size: 24 << 20)
      try feed.serve([file])
      try feed.mount()
      let truth = try feed.truth(of: file)
      try feed.origin.network(latency: .milliseconds(10), rate: 12 << 20)

      let quarter = file.size / 4
      let readers = try (0..<4).map { part in
        try ChildProcess([
          "dd", "if=\(feed.path(1))", "of=\(feed.folder)/truth", "bs=128K", "conv=notrunc",
          "iflag=skip_bytes,count_bytes", "oflag=seek_bytes", "skip=\(part * quarter)",
          "seek=\(part * quarter)", "count=\(quarter)",
        ])
      }
      for reader in readers { #expect(reader.wait(timeout: .seconds(40)) == 0) }
      #expect(try feed.digest(of: feed.folder + "/truth") == truth)
      try feed.settle()
      try checkCost(of: file, feed)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func aThousandRandomReadsAgreeWithTheTruth(seed: UInt64) throws {
      let file = PatternFile(name: "a", size: 24 << 20 + 12_345, seed: seed)
      let feed = try MountedFeed()
      try feed.serve([file])
      try feed.mount()
      let truth = Pattern.bytes(0..<file.size, seed: seed)
      let outcomes = Mutex<[Int: Result<[Range<Int>], any Error>]>([:])
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        let outcome = Result {
          var reads = RandomReads(seed: seed &* 4 &+ UInt64(thread), size: file.size)
          let open = try MountedFile(feed.path(1))
          return try (0..<250).map { _ in reads.next() }.filter { range in
            let bytes = try open.read(range)
            return !bytes.elementsEqual(range, of: truth)
          }
        }
        outcomes.withLock { $0[thread] = outcome }
      }
      for thread in 0..<4 {
        let wrong = try outcomes.withLock { $0[thread] }?.get()
        #expect(wrong == [], "thread \(thread)")
      }
    }

    /// Checks that the bytes of `file` were taken once, and sent once, apart from the losses of abandoned
    /// answers. Of those the rest is asked for again.
    private func checkCost(of file: PatternFile, _ feed: MountedFeed) throws {
      let requests = try feed.mediaRequests()
      let sent = requests.reduce(0) { $0 + $1.bytesSent }
      let givenUp = requests.indices.count { place in
        let later = requests[(place + 1)...].compactMap(\.askedFor)
        return requests[place].askedFor.map { range in later.contains { $0.overlaps(range) } }
          ?? false
      }
      let most = file.size + file.size / 50
      let taken = try feed.status().origins.map(\.bytes).reduce(0, +)
      #expect(taken >= file.size && taken <= most, "taken: \(taken)")
      #expect(
        sent >= file.size && sent <= most + givenUp * Self.lostInSocket,
        "sent: \(sent), given up: \(givenUp)")
    }
  }
}
