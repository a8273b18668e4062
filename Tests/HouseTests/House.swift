/// The Swift files below `Sources`, and which of them name each other's types.
///
/// A room is a folder. An arrow goes from one room to another when a file of the first names a
/// top-level type that a file of the second defines: a type of the same target first, else one of
/// an imported target.
struct House {
  /// The facts about one file that arrows depend on.
  struct File {
    /// The path below `Sources`.
    let path: String
    let lines: Int
    let code: SwiftNames

    var target: Substring { path.prefix { $0 != "/" } }
    var room: Substring {
      path.lastIndex(of: "/").map { path[..<$0] } ?? ""
    }
  }

  let files: [File]

  /// The house as it stands.
  static let sources = House(Repository.texts(below: "Sources", endingWith: ".swift"))

  init(_ texts: [String: String]) {
    files = texts.sorted { $0.key < $1.key }.map { path, text in
      File(path: path, lines: text.utf8.count { $0 == 0x0A }, code: SwiftNames(in: text))
    }
  }

  /// The number of files in each room.
  var sizes: [Substring: Int] {
    Dictionary(grouping: files, by: \.room).mapValues(\.count)
  }

  /// The rooms that each room needs, each with one reason: "File.swift → Type".
  var arrows: [Substring: [Substring: String]] {
    var definers: [String: [File]] = [:]
    for file in files {
      for name in file.code.defined { definers[name, default: []].append(file) }
    }
    var arrows: [Substring: [Substring: String]] = [:]
    for file in files {
      for name in file.code.named.sorted() {
        let all = definers[name] ?? []
        let own = all.filter { $0.target == file.target }
        let others =
          own.isEmpty ? all.filter { file.code.imported.contains(String($0.target)) } : own
        for other in others where other.room != file.room {
          arrows[file.room, default: [:]][other.room] = "\(file.path) → \(name)"
        }
      }
    }
    return arrows
  }

  /// The rooms on a cycle of arrows, or between two cycles.
  var circle: Set<Substring> {
    let arrows = arrows.mapValues { Set($0.keys) }
    var left = Set(files.map(\.room))
    while true {
      // A room without outgoing or without incoming arrows is on no cycle.
      let reached = left.reduce(into: Set<Substring>()) { $0.formUnion(arrows[$1] ?? []) }
      let ends = left.filter { room in
        !reached.contains(room) || (arrows[room] ?? []).isDisjoint(with: left)
      }
      if ends.isEmpty { return left }
      left.subtract(ends)
    }
  }
}
