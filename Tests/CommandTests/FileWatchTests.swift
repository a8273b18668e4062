import FoundationEssentials
import Glibc
import Locks
import SystemPackage
import TestSupport
import Testing

@testable import Host

/// The watch of a file, whichever way editors change it.
@Suite(.timeLimit(.minutes(1)))
final class FileWatchTests {
  private let folder: String
  private var file: String { folder + "/config.toml" }

  init() throws {
    folder = try makeTemporaryFolder("watch")
    try write("1", to: file)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Returns whether `condition` is true within some seconds.
  private func become(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(15)
    while try !condition() {
      guard .now < deadline else { return false }
      poll(nil, 0, 20)  // ms
    }
    return true
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  @Test(arguments: ["written", "replaced", "removed", "target written", "target replaced"])
  func eachChangeIsTold(change: String) throws {
    let target = folder + "/elsewhere/real.toml"
    if change.hasPrefix("target") {
      try FileManager.default.createDirectory(
        atPath: folder + "/elsewhere", withIntermediateDirectories: false)
      try write("1", to: target)
      try FileManager.default.removeItem(atPath: file)
      try #require(symlink("elsewhere/real.toml", file) == 0)
    }
    let told = Locked(0)
    let watch = FileWatch(FilePath(file))
    watch.begin { told.withLock { $0 += 1 } }
    defer { watch.end() }
    // Each change is made once, the first right after the beginning.
    for round in 1...2 {
      switch change {
      case "written": try write("\(round)", to: file)
      case "replaced":
        try write("\(round)", to: folder + "/new")
        rename(folder + "/new", file)
      case "removed":
        if round == 1 { unlink(file) } else { try write("2", to: file) }
      case "target written": try write("\(round)", to: target)
      default:
        try write("\(round)", to: folder + "/elsewhere/new")
        rename(folder + "/elsewhere/new", target)
      }
      let isTold = become { told.withLock { $0 } >= round }
      #expect(isTold, "\(change), round \(round)")
    }
  }
}
