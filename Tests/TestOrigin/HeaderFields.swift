/// The fields of a head in their order; names are compared without regard to case.
struct HeaderFields: Sendable {
  private(set) var fields: [(name: String, value: String)] = []

  /// The first value of that name.
  subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  mutating func add(_ name: String, _ value: String) {
    fields.append((name, value))
  }

  /// Replaces every field of that name by one; nil removes them.
  mutating func set(_ name: String, _ value: String?) {
    fields.removeAll { $0.name.lowercased() == name.lowercased() }
    if let value { add(name, value) }
  }
}
