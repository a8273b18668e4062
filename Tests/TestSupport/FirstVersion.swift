package import Blocks
import FoundationEssentials

/// The fixture of the first version whose files are read for ever: the files that it wrote, and the
/// facts that it showed.
///
/// `Tests/Fixtures/README.md` tells how it was made.
package enum FirstVersion {
  /// A life of that version: all that one user did with it.
  package enum Life: String, Sendable {
    /// Every mount was unmounted.
    case orderly
    /// The only mount ended with SIGKILL, in the middle of a film.
    case killed
    /// A life with the other files of the state: a stream, a page, a body without length, a list of
    /// feeds, a directory, and films that come by themselves.
    case rich
  }

  /// The feed of the lives that are orderly or killed. Nothing answers there.
  package static let feed = "http://127.0.0.1:47811/shows"

  /// The first feed of the rich life.
  package static let mixed = "http://127.0.0.1:47811/mixed"

  /// The program that prints the facts that a version shows.
  package static let look = folder + "/look.py"

  /// Unpacks cache, state and configuration of a life into a folder that is there.
  package static func unpack(_ life: Life, into place: String) throws {
    let outcome = try ChildProcess.run([
      "tar", "-C", place, "--strip-components=1", "--no-same-owner", "-xpzf",
      folder + "/state.tar.gz", life.rawValue,
    ])
    guard outcome.status == 0 else { throw TestToolError("not unpacked: \(outcome.err)") }
  }

  /// Unpacks a life into a new folder, which is there during `body` alone.
  package static func with<Result>(_ life: Life, _ body: (String) throws -> Result) throws -> Result
  {
    let place = try makeTemporaryFolder("first")
    defer { _ = try? ChildProcess.run(["rm", "-rf", "--one-file-system", place]) }
    try unpack(life, into: place)
    return try body(place)
  }

  /// Returns the recorded facts in this file, one a line.
  package static func facts(in name: String) throws -> [String] {
    String(decoding: try file(name + ".txt"), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Returns the bytes of a file of the fixture.
  package static func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
  }

  /// Returns bytes of a film as the origin had them: each page names the film and its own place.
  package static func bytes(_ range: ByteRange, of film: String) -> [UInt8] {
    var bytes: [UInt8] = []
    let pages = (range.lowerBound / page)...(range.upperBound / page)
    for start in pages.map({ $0 * page }) {
      let line = Array("\(film) at \(start)\n".utf8)
      bytes += (0..<page).map { line[$0 % line.count] }
    }
    let skipped = range.lowerBound % page
    return Array(bytes[skipped..<skipped + range.count])
  }

  private static let page = 4096

  private static let folder =
    "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    + "/Fixtures/first-version"
}
