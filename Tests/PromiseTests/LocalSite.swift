import Glibc
import TestSupport

/// A site with pages of videos, served by `Tests/Real/site.py`. It ends with its owner.
final class LocalSite: Sendable {
  private let child: ChildProcess
  let port: Int

  /// - Parameter life: the seconds for which an address of the kinds `expiring` and `dated` works.
  init(life: Double = 60) throws {
    let script = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    child = try ChildProcess(
      ["python3", "/\(script)/Real/site.py", "--life", "\(life)"], keepsInputOpen: true)
    let isReady = child.output.wait(timeout: .seconds(20)) { $0.contains("\n") }
    let words = child.output.text.split(whereSeparator: \.isWhitespace)
    guard isReady, words.count == 2, let port = Int(words[1]) else {
      throw TestToolError("the site did not start: \(child.errors.text)")
    }
    self.port = port
  }

  deinit { child.killGroup() }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  func text(_ path: String) throws -> String {
    try ChildProcess.run(["curl", "-sf", url(path)], timeout: .seconds(30)).out
  }

  /// The requests below a path so far: time, status, target and fields.
  func log(below path: String = "/") throws -> [(time: Double, status: Int, target: String)] {
    try text("/__log").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 3)
      guard words.count == 4, words[2].hasPrefix(path), let time = Double(words[0]),
        let status = Int(words[1])
      else { return nil }
      return (time, status, String(words[2]))
    }
  }
}
