/// The fields of a head in order; names are case-insensitive.
struct HeaderFields: Sendable {
  private(set) var fields: [(name: String, value: String)] = []

  /// The value of the first field with this name.
  subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  mutating func add(_ name: String, _ value: String) {
    fields.append((name, value))
  }

  /// Replaces all fields with this name by one; nil removes them.
  mutating func set(_ name: String, _ value: String?) {
    fields.removeAll { $0.name.lowercased() == name.lowercased() }
    if let value { add(name, value) }
  }
}
