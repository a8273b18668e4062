import TestSupport

/// The shape of a message by docs/control.md: the fields, their types, and which of them are
/// optional.
struct DocumentedShape {
  struct Field: Hashable {
    let type: String
    let isOptional: Bool
  }

  private let fields: [String: Field]

  /// - Parameter prefix: put before each field's name, for a message in a message.
  init(_ message: String, prefix: String = "") throws {
    let source = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let text = contents(of: "/\(source)/docs/control.md")
    guard
      let section = text.split(separator: "\n### ").first(where: { $0.hasPrefix(message + "\n") })
    else { throw TestToolError("docs/control.md has no \(message)") }
    var fields: [String: Field] = [:]
    for line in section.split(separator: "\n") where line.hasPrefix("| `") {
      let columns = line.split(separator: "|").map { $0.drop { $0 == " " } }
      let name = columns[0].split(separator: "`")[0]
      let type = String(columns[1].prefix { $0 != " " })
      guard !type.isEmpty else { continue }
      fields[prefix + name] = Field(
        type: String(type.prefix { $0 != "?" }), isOptional: type.hasSuffix("?"))
    }
    guard !fields.isEmpty else { throw TestToolError("\(message) has no table") }
    self.fields = fields
  }

  /// Adds the fields below `name` of another message, as fields below `own`.
  func including(_ other: DocumentedShape, _ name: String, as own: String) -> DocumentedShape {
    let added = other.fields.filter { $0.key.hasPrefix(name) }.map {
      (own + $0.key.dropFirst(name.count), $0.value)
    }
    return DocumentedShape(fields: fields.merging(added) { first, _ in first })
  }

  private init(fields: [String: Field]) {
    self.fields = fields
  }

  /// Returns the faults of a message that should have this shape; empty if there are none.
  func faults(of message: AnyJSON) -> [String] {
    var found: [String: Set<String>] = [:]
    var missing: [String] = []
    look(at: message, "", &found, &missing)
    let unknown = found.keys.filter { fields[$0] == nil }.map { "\($0) is not documented" }
    let wrong = found.flatMap { name, types in
      types.filter { fields[name].map(\.type) ?? $0 != $0 }.map { "\(name) is \($0)" }
    }
    return (unknown + wrong + missing).sorted()
  }

  private func look(
    at value: AnyJSON, _ path: String, _ found: inout [String: Set<String>],
    _ missing: inout [String]
  ) {
    switch value {
    case .object(let members):
      let prefix = path.isEmpty ? "" : path + "."
      for (name, member) in members { look(at: member, prefix + name, &found, &missing) }
      for (name, field) in fields where !field.isOptional && name.hasPrefix(prefix) {
        let rest = name.dropFirst(prefix.count)
        let isOwn = !rest.contains(".") && !rest.contains("[")
        if isOwn, members[String(rest)] == nil { missing.append("\(name) is missing") }
      }
    case .array(let members):
      for member in members { look(at: member, path + "[]", &found, &missing) }
    case .text: found[path, default: []].insert("text")
    case .number: found[path, default: []].insert("number")
    case .flag: found[path, default: []].insert("yes/no")
    case .null: found[path, default: []].insert("null")
    }
  }
}
