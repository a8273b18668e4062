import Control

/// A bar of cells that shows the cached parts of a file, from left to right.
struct CellBar: Hashable {
  struct Cell: Hashable {
    /// How many eighths of the cell's bytes are cached: 0 is none, 8 is all.
    var eighths = 0
    /// True if some missing bytes of the cell are being fetched.
    var isArriving = false
    /// True if a reader is at a byte of the cell.
    var isRead = false
  }

  private(set) var cells: [Cell]

  init(of file: FileStatus, cells count: Int) {
    cells = Array(repeating: Cell(), count: count)
    guard let size = file.size, size > 0, count > 0 else { return }
    fill(file, size)
    for fetch in file.fetches ?? [] {
      for index in Self.indices(of: fetch.position..<max(fetch.position, fetch.until), size, count)
      {
        cells[index].isArriving = cells[index].eighths < 8
      }
    }
    for reader in file.readers ?? [] {
      let place = min(max(0, reader.position), size - 1)
      for index in Self.indices(of: place..<place + 1, size, count) { cells[index].isRead = true }
    }
  }

  /// Returns the bar as styled text, with its left and right edge.
  func spans(_ face: TerminalFace) -> [StyledLine.Span] {
    let edges = face.isPlain ? ("[", "]") : ("▕", "▏")
    let inner = cells.map { cell in
      StyledLine.Span(face.isPlain ? Self.plain(cell) : Self.drawn(cell), Self.style(of: cell))
    }
    return [StyledLine.Span(edges.0, .faint)] + inner + [StyledLine.Span(edges.1, .faint)]
  }

  // MARK: Private

  private mutating func fill(_ file: FileStatus, _ size: Int) {
    let count = cells.count
    guard file.state != .complete else {
      for index in cells.indices { cells[index].eighths = 8 }
      return
    }
    var cached = [Int](repeating: 0, count: count)
    for extent in file.extents ?? [] {
      let bytes = extent.from..<max(extent.from, extent.until)
      for index in Self.indices(of: bytes, size, count) {
        cached[index] += bytes.clamped(to: Self.bytes(of: index, size, count)).count
      }
    }
    for index in cells.indices where cached[index] > 0 {
      let whole = Self.bytes(of: index, size, count).count
      let share = Double(cached[index]) / Double(max(1, whole))
      cells[index].eighths = cached[index] >= whole ? 8 : min(7, max(1, Int(share * 8)))
    }
  }

  /// Returns the bytes of the file that a cell shows. The range can be empty if there are more
  /// cells than bytes.
  private static func bytes(of index: Int, _ size: Int, _ count: Int) -> Range<Int> {
    edge(index, size, count)..<edge(index + 1, size, count)
  }

  private static func edge(_ index: Int, _ size: Int, _ count: Int) -> Int {
    Int((Double(size) * Double(index) / Double(count)).rounded())
  }

  /// Returns the cells that overlap `bytes`.
  private static func indices(of bytes: Range<Int>, _ size: Int, _ count: Int) -> [Int] {
    (0..<count).filter { Self.bytes(of: $0, size, count).overlaps(bytes) }
  }

  private static func drawn(_ cell: Cell) -> String {
    if cell.isRead { return "┃" }
    if cell.isArriving && cell.eighths == 0 { return "░" }
    return levels[cell.eighths]
  }

  private static func plain(_ cell: Cell) -> String {
    if cell.isRead { return "|" }
    if cell.isArriving { return ">" }
    return cell.eighths == 8 ? "#" : cell.eighths > 0 ? "+" : "."
  }

  private static func style(of cell: Cell) -> StyledLine.Style {
    if cell.isRead { return .strong }
    return cell.isArriving ? .moving : .good
  }

  private static let levels = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
}
