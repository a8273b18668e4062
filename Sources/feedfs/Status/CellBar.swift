import Control

/// Where the cached parts of a file lie: the file from left to right, in as many cells as there is room.
struct CellBar: Hashable {
  struct Cell: Hashable {
    /// How much of its bytes is in the cache: 8 is all of them, 0 not one.
    var eighths = 0
    /// Some that are missing are on their way.
    var isArriving = false
    /// Somebody reads there.
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

  /// Spans of it that look alike, for a terminal that shows it.
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
    var held = [Int](repeating: 0, count: count)
    for stretch in file.stretches ?? [] {
      let bytes = stretch.from..<max(stretch.from, stretch.until)
      for index in Self.indices(of: bytes, size, count) {
        held[index] += bytes.clamped(to: Self.bytes(of: index, size, count)).count
      }
    }
    for index in cells.indices where held[index] > 0 {
      let whole = Self.bytes(of: index, size, count).count
      let share = Double(held[index]) / Double(max(1, whole))
      cells[index].eighths = held[index] >= whole ? 8 : min(7, max(1, Int(share * 8)))
    }
  }

  /// The bytes that a cell stands for; none where there are more cells than bytes.
  private static func bytes(of index: Int, _ size: Int, _ count: Int) -> Range<Int> {
    edge(index, size, count)..<edge(index + 1, size, count)
  }

  private static func edge(_ index: Int, _ size: Int, _ count: Int) -> Int {
    Int((Double(size) * Double(index) / Double(count)).rounded())
  }

  /// The cells that stand for any of `bytes`.
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
