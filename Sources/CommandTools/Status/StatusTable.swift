import Blocks
import Control
import Quantities

/// Shows the status of a mount as lines for people.
struct StatusTable {
  /// The greatest width of the column for the state. "complete, pinned" fits. The text of a waiting
  /// file is longer, and moves only the title of its own row to the right.
  private static let usualState = 20  // columns

  let status: MountStatus
  let face: TerminalFace
  /// True if files with nothing to report are listed too.
  var listsAll = false

  var lines: [StyledLine] {
    var files = listsAll ? status.files : status.files.filter(\.isOfInterest)
    let (before, after) = (head, originLines)
    if let height = face.height, isFramed {
      files = Array(files.prefix(max(1, height - before.count - after.count - 2)))
    }
    return before + rows(of: files) + others(than: files.count) + after
  }

  /// True if the output must fit into the lines of the terminal.
  var isFramed = false

  // MARK: Private

  private var head: [StyledLine] {
    var lines: [StyledLine] = []
    for feed in status.feeds {
      let folder = feed.folder.isEmpty ? "" : "\(feed.folder)/  "
      lines.append(
        StyledLine([
          .init("\(folder)\(feed.title)", .usual), .init("  \(feed.address)", .faint),
        ]))
      if feed.leaving == true {
        lines.append(
          StyledLine(
            "  you have unsubscribed from this feed; its folder goes when no file in it is open"))
      }
      if let address = feed.movedTo {
        lines.append(
          StyledLine("  the feed has moved to \(address); its file names and its cache stay"))
      }
      if let move = feed.move { lines.append(StyledLine("  \(move)", .bad)) }
      if let error = feed.error {
        let next = feed.retryIn.map {
          "; next try in \(Quantity.time($0)), or by `feedfs feed refresh`"
        }
        lines.append(StyledLine("  not refreshed: \(error)\(next ?? "")", .bad))
      } else if feed.entries == 0, feed.waiting == nil, feed.leftOut == nil, feed.refreshed != nil {
        let what = "  no entry of this feed can be played; `feedfs feed show --all` says why"
        lines.append(StyledLine(what, .bad))
      }
      if feed.entries > 0, feed.refreshed != nil, feed.end == nil {
        lines.append(
          StyledLine("  the feed has a further page; `feedfs feed more` reads it", .faint))
      }
      if let count = feed.leftOut {
        let files = Quantity.count(count, "file")
        lines.append(
          StyledLine(
            "  \(files) left out by your rules for this feed; `feedfs feed show --all` names them"))
      }
      if let problem = feed.unsavedWords { lines.append(StyledLine("  \(problem)", .bad)) }
    }
    lines.append(StyledLine("  \(status.mountPoint), \(cacheWords)"))
    if let problem = status.subscriptions {
      lines.append(
        StyledLine("  the mount could not follow a change of your subscriptions: \(problem)", .bad))
    }
    if let problem = status.cache.problem {
      lines.append(StyledLine("  nothing is cached: \(problem)", .bad))
    }
    lines.append(StyledLine("  \(totals)"))
    return lines
  }

  private var cacheWords: String {
    let cache = status.cache
    var words = Quantity.bytes(cache.bytes)
    if let limit = cache.limit {
      // `used` is shown only if it is much more than `bytes`. A small difference comes from the
      // index beside each file.
      if let used = cache.used, used - cache.bytes > max(1 << 20, cache.bytes / 20) {
        words += " (\(Quantity.bytes(used)) in all)"
      }
      words += " of \(Quantity.bytes(limit))"
    }
    words += " in \(cache.path)"
    if let free = cache.free { words += ", \(Quantity.bytes(free)) free" }
    return words
  }

  private var totals: String {
    let files = status.files
    let complete = files.count { $0.state == .complete }
    var words = [
      "\(Quantity.count(complete)) of \(Quantity.count(files.count, "file")) complete"
    ]
    for mark in ["started", "played"] {
      let count = files.count { $0.mark == mark }
      if count > 0 { words.append("\(Quantity.count(count)) \(mark)") }
    }
    let speed = files.reduce(0) { $0 + ($1.speed ?? 0) }
    if speed > 0 { words.append("\(Quantity.bytes(speed))/s") }
    if let limit = status.rateLimit { words.append("limited to \(Quantity.bytes(limit))/s") }
    if status.isMetered { words.append("metered") }
    if status.mode != .online { words.append(status.mode.rawValue) }
    return words.joined(separator: ", ")
  }

  private func rows(of files: [FileStatus]) -> [StyledLine] {
    let cells = min(max((face.width ?? 96) / 6, 8), 32)
    let isNarrow = face.width.map { $0 < 100 } ?? false
    let rows = files.map { FileRow($0, in: status.mode, face, cells: cells, isNarrow: isNarrow) }
    let count = rows.map(\.columns.count).max() ?? 0
    let widths = (0..<count).map { column in
      let widths = rows.map { $0.columns[column].width }
      // The long state of one file must not move the titles of all other files out of the terminal.
      return column == FileRow.stateColumn
        ? widths.filter { $0 <= Self.usualState }.max() ?? min(widths.max() ?? 0, Self.usualState)
        : widths.max() ?? 0
    }
    let shown = face.width.map { FileRow.widths(widths, within: $0) } ?? widths
    return rows.map { face.cut($0.line(shown)) }
  }

  private func others(than count: Int) -> [StyledLine] {
    let others = status.files.count - count
    guard others > 0 else { return [] }
    let what = Quantity.count(others, count == 0 ? "file" : "other")
    let how = listsAll || isFramed ? "" : "; --all lists \(others == 1 ? "it" : "them")"
    return [StyledLine("\(count == 0 ? "" : "and ")\(what)\(how)", .faint)]
  }

  private var originLines: [StyledLine] {
    status.origins.flatMap { origin in
      var words = [Quantity.count(origin.requests, "request"), Quantity.bytes(origin.bytes)]
      if let latency = origin.latency { words.append("\(Int((latency * 1000).rounded())) ms") }
      if origin.speed > 0 {
        words.append("\(Quantity.bytes(origin.speed))/s")
      } else if let throughput = origin.throughput {
        words.append("\(Quantity.bytes(throughput))/s when last measured")
      }
      if origin.failures > 0 { words.append(Quantity.count(origin.failures, "failure")) }
      let style: StyledLine.Style =
        switch origin.condition {
        case .reachable: .good
        case .unknown: .usual
        case .waiting, .unreachable: .bad
        }
      var lines = [
        StyledLine([
          .init("\(origin.origin)  "), .init(origin.state, style),
          .init("  \(words.joined(separator: ", "))", .faint),
        ])
      ]
      if let error = origin.lastError { lines.append(StyledLine("  last error: \(error)", .faint)) }
      return lines
    }
  }
}
