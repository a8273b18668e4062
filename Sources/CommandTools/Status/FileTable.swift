import Control
import FoundationEssentials
import Quantities

/// Shows the details of one file as lines for people.
struct FileTable {
  let details: FileDetails
  let face: TerminalFace

  var lines: [StyledLine] {
    let rows = facts.compactMap { name, value in value.map { (name, $0) } }
    let width = rows.map(\.0.count).max() ?? 0
    let file = details.file
    let cells = min(max((face.width ?? 72) - 8, 16), 64)
    return [
      StyledLine([.init(file.name, .strong), .init("  \(file.title)")]),
      StyledLine(CellBar(of: file, cells: cells).spans(face)),
    ]
      + rows.map { name, value in
        StyledLine([.init(name, .faint), .init("  \(value)")].padded(width))
      }
      + processes
  }

  private var facts: KeyValuePairs<String, String?> {
    let file = details.file
    let size = file.size.map { Quantity.bytes($0) } ?? "?"
    return [
      "state": file.words(in: details.mode),
      "cached": "\(Quantity.bytes(file.cached)) of \(size)",
      "failed": file.failure.map(words),
      "length": file.growthLimit.map {
        "not known, as the origin does not tell it: feedfs reads from the start, up to \(Quantity.bytes($0))"
      },
      "ahead": file.readers.map { _ in FileRow.ahead(of: file) },
      "speed": file.speed.map { "\(Quantity.bytes($0))/s" },
      "read at": file.readers.map { list($0.map(\.position)) },
      "fetched at": file.fetches.map { list($0.map(\.position)) },
      "waiting": file.waiting.map { "\($0) reads of programs" },
      "plays": file.duration.map { Quantity.time($0) },
      "mark": file.mark,
      "by title": file.name.hasSuffix(details.titleName) ? nil : details.titleName,
      "kind": details.streamKind.map { "\($0) stream" },
      "type": details.type,
      "address": details.url
        + (details.alternates > 0 ? " (and \(details.alternates) others)" : ""),
      "height": details.height.map { "\($0) lines" },
      "chosen": details.choice,
      "stream": details.stream.map(words),
      "page": details.link,
      "id": details.id,
      "published": details.published.map(day),
      "version": details.validator,
      "checked": details.checked.map(day),
      "ranges": details.lacksRanges ? "none: the origin sends the file only from its start" : nil,
    ]
  }

  private var processes: [StyledLine] {
    guard let processes = details.processes, !processes.isEmpty else {
      return [StyledLine("not open in any process that you can see", .faint)]
    }
    return processes.map { process in
      let times = process.descriptors > 1 ? ", \(process.descriptors) times" : ""
      return StyledLine("open in \(process.program) (\(process.pid)\(times))")
    }
  }

  private func words(_ stream: StreamDetails) -> String {
    let parts = "made of \(stream.slots) parts: \(stream.tracks.joined(separator: "; "))"
    return stream.choice.map { "\($0); \(parts)" } ?? parts
  }

  private func words(_ failure: FailureStatus) -> String {
    let next = failure.retryIn.map { "in \(Quantity.time($0))" } ?? "when it is read"
    return "\(day(failure.at)): \(failure.what); next try \(next)"
  }

  private func list(_ offsets: [Int]) -> String {
    offsets.map { Quantity.bytes($0) }.joined(separator: ", ")
  }

  private func day(_ seconds: Int) -> String {
    Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
  }
}

extension [StyledLine.Span] {
  /// Returns the spans with the first one padded to `width` columns.
  fileprivate func padded(_ width: Int) -> [StyledLine.Span] {
    guard let first else { return self }
    return StyledLine([first]).padded(to: width).spans + dropFirst()
  }
}
