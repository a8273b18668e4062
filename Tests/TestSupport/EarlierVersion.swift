package import Blocks
import FoundationEssentials

/// The fixture of an earlier version: the files that it wrote, and the facts that it showed.
///
/// `Tests/Fixtures/README.md` tells how it was made.
package enum EarlierVersion {
  /// A life of that version: all that one user did with it.
  package enum Life: String, Sendable {
    /// Every mount was unmounted.
    case orderly
    /// The only mount ended with SIGKILL, in the middle of a film.
    case killed
  }

  /// The feed of both lives. Nothing answers there.
  package static let feed = "http://127.0.0.1:47811/shows"

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

  /// Returns the recorded facts in this file, one a line.
  package static func facts(in name: String) throws -> [String] {
    let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name).txt"))
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
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
    + "/Fixtures/earlier-version"
}
