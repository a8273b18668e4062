import Glibc
import TestSupport
import Testing

/// What is read through the mount is what the origin has.
@Suite(.timeLimit(.minutes(2))) struct PlayingTests {
  @Test func aFileReadThroughTheMountIsTheOriginsAndComesFromTheCacheAfterwards() throws {
    let feed = try MountedFeed()
    try feed.serve([PatternFile(name: "a", size: 64 << 20)])
    try feed.mount()
    let truth = try digest(of: "64 MiB", feed.origin.url("/pattern/a.mp4?size=67108864&seed=1"))

    #expect(try digest(of: feed.path(1)) == truth)
    try feed.unmount()
    feed.origin.stop()
    try feed.mount()
    #expect(try digest(of: feed.path(1)) == truth)
    try feed.unmount()
  }

  private func digest(of path: String) throws -> String {
    try ChildProcess.run(["sha256sum", path], timeout: .seconds(60)).out.prefix(64).description
  }

  private func digest(of name: String, _ url: String) throws -> String {
    try ChildProcess.run(
      ["sh", "-c", "curl -sf '\(url)' | sha256sum"], timeout: .seconds(60)
    ).out.prefix(64).description
  }
}
