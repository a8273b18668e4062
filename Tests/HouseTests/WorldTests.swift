import Testing

/// A mounted feed reaches what is outside of it through its `World` alone (docs/internals/decisions/world.md):
/// in a simulation nothing else would be simulated.
@Suite(.timeLimit(.minutes(1)))
struct WorldTests {
  private static let exits = [
    "ContinuousClock", "SuspendingClock", "WallClock.real", "Tasks.real", "Disk.real",
    "wall: .real", "tasks: .real", "on: .real", "SystemTimekeeper", "DispatchJobs",
    "DispatchQueue(",
    "DispatchQueue.global", "Task.sleep", "Task.detached", " Task {", ".random(in",
    "SystemRandomNumberGenerator", "clock_gettime", "gettimeofday", "time(nil)", "Date()",
    "Date.now",
    "deadline: .now()", "usleep(", "nanosleep(", "pthread_create(", "FileManager",
    "FileDescriptor.open",
    "SharedText(in", "SnapshotFile(in", "SavedValue(in",
  ]

  /// The files of a mount that go out by themselves, each with its reason.
  private static let exceptions = [
    "CacheAdmin/UnmountedCaches.swift":
      "looks for feeds on this computer's disk, before one is made",
    "Doctor/ComputerFacts.swift": "asks this computer; no part of a mount",
    "Doctor/FeedCheckup.swift": "measures real answers; no part of a mount",
    "Doctor/OriginProbe.swift": "measures real answers; no part of a mount",
    "Doctor/ResolverCheckup.swift": "runs the user's program; no part of a mount",
    "Doctor/StreamCheckup.swift": "measures real answers; no part of a mount",
    "Options/FeedChoice.swift": "a feed in a file of the user's is read as the user wrote its path",
  ]

  @Test func aFeedHasNoOtherWayOut() {
    let texts = Repository.texts(below: "Sources/FeedMount", endingWith: ".swift")
    #expect(texts.count > 100)
    for (path, text) in texts where Self.exceptions[path] == nil {
      for exit in Self.exits(of: text) { Issue.record("\(path): \(exit)") }
    }
    for target in ["Resolving", "StreamFiles"] { Self.hasNoWayOut(target) }
    for path in Self.exceptions.keys {
      #expect(
        texts[path].map { !Self.exits(of: $0).isEmpty } ?? false, "\(path) needs no exception")
    }
  }

  /// A target that only decides has no clock, no disk and no thread.
  @Test(arguments: [
    "Addresses", "Blocks", "Catalog", "FeedReading", "Markup", "Quantities", "Settings",
    "Filling", "Streams",
  ])
  func aTargetOfValuesHasNoWayOut(target: String) {
    Self.hasNoWayOut(target)
  }

  private static func hasNoWayOut(_ target: String) {
    let texts = Repository.texts(below: "Sources/\(target)", endingWith: ".swift")
    #expect(!texts.isEmpty)
    for (path, text) in texts {
      for exit in exits(of: text) { Issue.record("\(path): \(exit)") }
    }
  }

  @Test func aWayOutIsFound() {
    let text =
      "// Task {\nlet now = ContinuousClock.now\nSnapshotFile(in: a, on: world.disk)\nSharedText(in: b)"
    #expect(Self.exits(of: text) == ["ContinuousClock", "SharedText(in"])
  }

  /// Returns the ways out in code. A file on the disk of a world is none.
  private static func exits(of text: String) -> [String] {
    text.split(separator: "\n").filter { !$0.contains("//") }.flatMap { line in
      exits.filter { exit in
        line.contains(exit) && (!exit.hasSuffix("(in") || !line.contains(/on: (world\.)?disk/))
      }
    }
  }
}
