import Foundation

/// The files of this checkout.
enum Repository {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the contents of a file; an empty text if there is none.
  static func text(of path: String) -> String {
    (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? ""
  }

  /// Whether there is a file or a folder.
  static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  /// Returns the texts of all files below `folder` with this ending, by their paths below it.
  static func texts(below folder: String, endingWith ending: String) -> [String: String] {
    let start = root.appending(path: folder)
    let names =
      FileManager.default.enumerator(atPath: start.path)?.compactMap { $0 as? String } ?? []
    let pairs = names.filter { $0.hasSuffix(ending) }.map { ($0, text(of: "\(folder)/\($0)")) }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}
