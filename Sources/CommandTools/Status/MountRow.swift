import Blocks
import Control
import Quantities

/// The line for one mount in the status of several mounts.
struct MountRow {
  let status: MountStatus

  var line: StyledLine {
    let titles = status.feeds.map { $0.title.isEmpty ? $0.address : $0.title }
    let feeds = titles.count == 1 ? titles[0] : Quantity.count(titles.count, "feed")
    return StyledLine([
      .init(status.mountPoint, .strong), .init("  \(feeds)"),
      .init("  \(facts.joined(separator: ", "))", trouble == nil ? .faint : .bad),
    ])
  }

  private var facts: [String] {
    let complete = status.files.count { $0.state == .complete }
    var words = [
      "\(Quantity.count(complete)) of \(Quantity.count(status.files.count, "file")) complete",
      "\(Quantity.bytes(status.cache.bytes)) cached",
    ]
    let speed = status.files.reduce(0) { $0 + ($1.speed ?? 0) }
    if speed > 0 { words.append("\(Quantity.bytes(speed))/s") }
    if let limit = status.rateLimit { words.append("limited to \(Quantity.bytes(limit))/s") }
    if status.isMetered { words.append("metered") }
    if status.mode != .online { words.append(status.mode.rawValue) }
    return words + [trouble].compactMap(\.self)
  }

  /// The first problem of the mount; nil if it has none. `feedfs status` of this mount shows all
  /// problems.
  private var trouble: String? {
    if let problem = status.cache.problem { return "nothing is cached: \(problem)" }
    if let unsaved = status.feeds.lazy.compactMap(\.unsavedWords).first { return unsaved }
    return status.feeds.lazy.compactMap(\.error).first.map { "not refreshed: \($0)" }
  }
}
