import TestSupport
import Testing

extension Promises {
  /// A browser reads no further than the size that it got before it opened the file.
  @Suite(.timeLimit(.minutes(1))) struct BrowserSizeTests {
    /// Asks for sizes on a thread of a name, by path or while it lists the folder.
    private static let asker = """
      import ctypes, os, sys, threading
      name, way, path = sys.argv[1:4]
      def ask():
        ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
        if way == 'film': return print(os.stat(path).st_size)
        with os.scandir(path) as items:
          print(sum(os.stat(item.path).st_size > 0 for item in items if item.name.endswith('.mp4')))
      thread = threading.Thread(target=ask)
      thread.start(); thread.join()
      """
    private static let size = 400_001

    /// The name of the threads by which Chromium asks for files, as Linux cuts it.
    private static let browser = "ThreadPoolForeg"

    private func feed() throws -> MountedFeed {
      let feed = try MountedFeed()
      try feed.serve(
        ["a", "b", "c"].map { PatternFile(name: $0, size: Self.size, claim: Claim.none) })
      try feed.mount(options: ["--sizes", "open"])
      return feed
    }

    private func ask(
      _ name: String, _ way: String, _ path: String, _ arguments: String...
    ) throws -> String {
      let words = ["python3", "-c", Self.asker, name, way, path] + arguments
      let outcome = try ChildProcess.run(words)
      return outcome.out + outcome.err
    }

    @Test func itGetsTheTrueSizeOfAFilmThatNobodyHasOpened() throws {
      let feed = try feed()
      #expect(try ask(Self.browser, "film", feed.path(1)) == "\(Self.size)\n")
      #expect(try feed.mediaRequests().count == 1)
    }

    @Test func itWaitsForNoFileOfAFolderThatItShows() throws {
      let feed = try feed()
      #expect(try ask(Self.browser, "folder", feed.mountPoint) == "3\n")
      #expect(try feed.mediaRequests().isEmpty)
      // It may show the folder first.
      #expect(try ask(Self.browser, "film", feed.path(2)) == "\(Self.size)\n")
    }

    /// With one of these, rsync copies no file that it takes for as long as the copy that it finds.
    @Test(arguments: ["--append", "--append-verify", "--size-only"])
    func rsyncGetsTheTrueSizeWhereItGoesByIt(argument: String) throws {
      let feed = try feed()
      _ = try ask("rsync", "film", feed.path(1), "--archive")
      #expect(try feed.mediaRequests().isEmpty)
      #expect(try ask("rsync", "film", feed.path(1), "--archive", argument) == "\(Self.size)\n")
    }

    @Test func otherProgramsWaitForNothing() throws {
      let feed = try feed()
      _ = try ask("python3", "film", feed.path(1))
      #expect(try feed.mediaRequests().isEmpty)
    }
  }
}
