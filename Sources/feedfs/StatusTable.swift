import Control
import Feeds

/// The status of a mount, for people.
enum StatusTable {
  static func text(of status: MountStatus) -> String {
    var lines: [String] = []
    for feed in status.feeds {
      let folder = feed.folder.isEmpty ? "" : "\(clean(feed.folder))/  "
      lines.append("\(folder)\(clean(feed.title))  \(clean(feed.address))")
      if let error = feed.error { lines.append("  not refreshed: \(clean(error))") }
    }
    lines.append("  \(status.mountPoint), \(size(status.cache.bytes)) in \(status.cache.path)")
    if let problem = status.cache.problem { lines.append("  nothing is kept: \(clean(problem))") }
    let width = status.files.map(\.name.count).max() ?? 0
    for file in status.files {
      let name = file.name.padded(to: width)
      let state = file.state.rawValue.padded(to: 8)
      lines.append("\(name)  \(state)  \(share(of: file).padded(to: 20))  \(clean(file.title))")
    }
    for origin in status.origins {
      lines.append("\(origin.origin)  \(clean(origin.state))")
      if let error = origin.lastError { lines.append("  last error: \(clean(error))") }
    }
    return lines.joined(separator: "\n")
  }

  private static func share(of file: FileStatus) -> String {
    guard let whole = file.size else { return "\(size(file.cached)) of ?" }
    return "\(size(file.cached)) of \(size(whole))"
  }

  private static func size(_ bytes: Int) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1024 && unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    let tenths = Int((value * 10).rounded())
    return unit == 0 ? "\(bytes) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  private static func clean(_ text: String) -> String {
    PrintableText.line(text)
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
