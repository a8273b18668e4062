import Testing

/// A mounted feed reaches what is outside of it through its `World` alone (docs/internals/decisions/world.md):
/// in a simulation nothing else would be simulated.
@Suite(.timeLimit(.minutes(1)))
struct WorldTests {
  private static let rooms = [
    "CacheAdmin", "Catalog", "Facts", "Feed", "Mount", "Pages", "Preload", "Refresh", "Tree",
    "Versions",
  ]
  private static let exits = [
    "ContinuousClock", "SuspendingClock", "WallClock.real", "Tasks.real", "Disk.real",
    "SystemTimekeeper", "Task.sleep", "Task.detached", "Task {", "DispatchQueue(", ".random(in",
    "clock_gettime", "time(nil)", "deadline: .now()",
  ]

  @Test(arguments: rooms) func aRoomHasNoOtherWayOut(room: String) {
    let texts = Repository.texts(below: "Sources/FeedMount/\(room)", endingWith: ".swift")
    #expect(!texts.isEmpty)
    for (path, text) in texts {
      for line in text.split(separator: "\n") where !line.contains("//") {
        for exit in Self.exits where line.contains(exit) {
          Issue.record("\(room)/\(path): \(exit)")
        }
      }
    }
  }
}
