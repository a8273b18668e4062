import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  @Suite(.timeLimit(.minutes(3)), .enabled(if: geteuid() == 0, "only root may mount so much"))
  struct MountTableTests {
    /// The kernel returns a long mount table in pieces.
    @Test func aMountIsFoundBehindManyOthers() throws {
      let feed = try MountedFeed()
      let others = (0..<80).map { "\(feed.folder)/other-mount-with-a-long-name-\($0)" }
      defer { for other in others { umount2(other, Int32(MNT_DETACH)) } }
      for other in others {
        mkdir(other, 0o755)
        try #require(mount("none", other, "tmpfs", 0, "size=4k") == 0)
      }
      try feed.serve([PatternFile(name: "a", size: 100_000)])
      try feed.mount()
      #expect(try feed.status().files.count == 1)
      try feed.unmount()
    }
  }
}
