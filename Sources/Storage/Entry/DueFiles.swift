/// The files that wait for the next pass of a `Writer` or `Flusher`, each once. Few files wait at a
/// time, so an array is enough.
struct DueFiles: Sendable {
  private(set) var all: [EntryFile] = []

  var isEmpty: Bool { all.isEmpty }

  mutating func insert(_ file: EntryFile) {
    if !all.contains(where: { $0 === file }) { all.append(file) }
  }

  mutating func remove(_ file: EntryFile) {
    all.removeAll { $0 === file }
  }
}
