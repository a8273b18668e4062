/// The files that a pass over the disk is due for, each once. There are few at a time.
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
