import Blocks
import Control
import Quantities

/// The row of one file in the status table.
struct FileRow {
  /// The index of the column that shows the state.
  static let stateColumn = 5

  let columns: [StyledLine]

  /// - Parameters:
  ///   - cells: the number of cells in the file's `CellBar`.
  ///   - isNarrow: whether to show only a share in percent, because the terminal has no room for
  ///     sizes.
  init(_ file: FileStatus, in mode: NetworkMode, _ face: TerminalFace, cells: Int, isNarrow: Bool) {
    let size = file.size.map { Quantity.bytes($0) } ?? "?"
    columns = [
      StyledLine(face.shortened(file.name)),
      StyledLine(CellBar(of: file, cells: cells).spans(face)),
      StyledLine(
        isNarrow
          ? file.size.map { Quantity.share(file.cached, of: $0) } ?? "?"
          : "\(Quantity.bytes(file.cached)) of \(size)"),
      StyledLine(Self.ahead(of: file)),
      StyledLine(file.speed.map { "\(Quantity.bytes($0))/s" } ?? "", .moving),
      StyledLine(file.words(in: mode), Self.style(of: file)),
      StyledLine(file.title, .faint),
    ]
  }

  /// Returns the widths to use on a terminal that is `width` columns wide. If the columns up to the
  /// state do not fit, the speed is hidden. If that is not enough, the read-ahead is hidden, too.
  /// The state is more important, because it shows problems that the user can solve.
  static func widths(_ widths: [Int], within width: Int) -> [Int] {
    var widths = widths
    for column in [stateColumn - 1, stateColumn - 2] {
      let used = widths.prefix(stateColumn + 1).filter { $0 > 0 }
      guard used.reduce(0, +) + 2 * (used.count - 1) > width else { break }
      widths[column] = 0
    }
    return widths
  }

  /// Joins the columns to a line. Leaves out columns of width 0.
  func line(_ widths: [Int]) -> StyledLine {
    let used = zip(columns, widths).filter { $0.1 > 0 }
    let spans = used.enumerated().flatMap { index, column in
      let (text, width) = column
      let isLast = index == used.count - 1
      return isLast ? text.spans : text.padded(to: width).spans + [.init("  ")]
    }
    return StyledLine(spans)
  }

  /// Returns the smallest read-ahead of all readers of the file, as a time if that is known, or
  /// else in bytes. Returns an empty text if there are no readers.
  static func ahead(of file: FileStatus) -> String {
    let readers = file.readers ?? []
    if let seconds = readers.compactMap(\.seconds).min() {
      return "\(Quantity.time(seconds)) ahead"
    }
    return readers.map(\.ahead).min().map { "\(Quantity.bytes($0)) ahead" } ?? ""
  }

  private static func style(of file: FileStatus) -> StyledLine.Style {
    switch file.state {
    case .complete: .good
    case .filling: .moving
    case .waiting: .bad
    case .partial: .usual
    case .empty: .faint
    }
  }
}
