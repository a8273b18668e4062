/// The tables of docs/architecture.md.
struct HouseMap {
  /// A row of the table of targets.
  struct Row: Equatable {
    let name: String
    let floor: Int?
    let imports: Set<String>
  }

  /// The targets in their order; those of a row with several names have the rest in common.
  let targets: [Row]
  /// The targets of each floor, as the picture shows them.
  let picture: [Int: Set<String>]
  /// The rooms, as paths below `Sources`.
  let rooms: [String]
  /// The labels of queues and threads.
  let queues: [String]
  /// The rows of the table of threads.
  let threads: [String]

  init(_ text: String) {
    targets = Self.targets(of: Self.rows(of: text, below: "target"))
    picture = Self.picture(of: text)
    rooms = Self.whole(Self.rows(of: text, below: "room"), begin: "/") { $0.prefix { $0 != "/" } }
    let threads = Self.rows(of: text, below: "thread or queue")
    self.threads = threads.map { $0.joined() }
    queues = Self.whole(threads, begin: ".") { _ in "feedfs" }.filter { $0.hasPrefix("feedfs.") }
  }

  static let page = HouseMap(Repository.text(of: "docs/architecture.md"))

  /// Returns the cells of the rows of the table whose first heading is `heading`.
  static func rows(of text: String, below heading: String) -> [[Substring]] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(where: { $0.hasPrefix("| \(heading) |") }) else { return [] }
    return lines[start...].dropFirst(2).prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.drop { $0 == " " } }
    }
  }

  /// Returns the words of a text that are written as code.
  static func code(in text: some StringProtocol) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }

  private static func targets(of rows: [[Substring]]) -> [Row] {
    var above: [String] = []
    var targets: [Row] = []
    for cells in rows {
      let names = code(in: cells[0])
      var imports = Set(code(in: cells.last ?? ""))
      if let all = cells.last?.firstRange(of: "the Swift targets above but"), let cell = cells.last
      {
        let without = Set(code(in: cell[all.upperBound...]))
        imports = Set(code(in: cell[..<all.lowerBound])).union(above).subtracting(without)
      }
      let floor = Int(cells[1].filter(\.isNumber))
      targets += names.map { Row(name: $0, floor: floor, imports: imports) }
      // The doors to C come first, and are one row.
      if names.count == 1 { above += names }
    }
    return targets
  }

  /// Reads a line for each floor, and lines without a number that belong to the floor above them.
  private static func picture(of text: String) -> [Int: Set<String>] {
    var floors: [Int: Set<String>] = [:]
    var floor: Int?
    let picture = text.split(separator: "```", maxSplits: 2).dropFirst().first ?? ""
    for line in picture.split(separator: "\n") {
      floor = line.dropFirst().first?.wholeNumberValue ?? floor
      guard let floor else { continue }
      let names = line.split { !$0.isLetter }.map(String.init)
      floors[floor, default: []].formUnion(names.filter { Manifest.package[$0] != nil })
    }
    return floors
  }

  /// Returns the names in the first cells. One that begins with `begin` is behind the first of its row.
  private static func whole(
    _ rows: [[Substring]], begin: Character, after start: (String) -> some StringProtocol
  ) -> [String] {
    rows.flatMap { cells in
      let names = code(in: cells[0])
      return names.map { name in
        name.first == begin ? String(start(names[0])) + name : name
      }
    }
  }
}
