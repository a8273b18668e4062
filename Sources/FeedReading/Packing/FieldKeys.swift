/// A visitor that collects the keys of a type's fields.
public struct FieldKeys {
  private var keys: [String] = []

  /// Returns the positions that the fields have in `visit`, sorted by the keys of the fields.
  public static func order<Value: Fielded>(of type: Value.Type) -> [Int] {
    var visitor = FieldKeys()
    var value = Value.blank
    value.visit(&visitor)
    return visitor.keys.indices.sorted { visitor.keys[$0] < visitor.keys[$1] }
  }
}

extension FieldKeys: FieldVisitor {
  public typealias Fault = Never

  public mutating func field(_ key: String, _ value: inout String) { keys.append(key) }
  public mutating func field(_ key: String, _ value: inout String?) { keys.append(key) }
  public mutating func field(_ key: String, _ value: inout Int) { keys.append(key) }
  public mutating func field(_ key: String, _ value: inout Int?) { keys.append(key) }
  public mutating func field(_ key: String, _ value: inout UInt64) { keys.append(key) }
  public mutating func field(_ key: String, _ value: inout Double) { keys.append(key) }
  public mutating func field(_ key: String, _ value: inout Double?) { keys.append(key) }
  public mutating func field(_ key: String, _ value: inout Bool) { keys.append(key) }
  public mutating func field(_ key: String, _ value: inout some FieldWord) { keys.append(key) }
  public mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word?) {
    keys.append(key)
  }
  public mutating func field(_ key: String, _ value: inout some Fielded) { keys.append(key) }
  public mutating func field<Value: Fielded>(_ key: String, _ value: inout Value?) {
    keys.append(key)
  }
  public mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]) {
    keys.append(key)
  }
  public mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]?) {
    keys.append(key)
  }
  public mutating func fileName(_ name: inout String, number: Int) { keys += ["name", "ownName"] }
  public mutating func unpacked(_ key: String, _ value: inout some FieldWord) { keys.append(key) }
  public mutating func unpacked(_ key: String, _ value: inout Bool?) { keys.append(key) }
}
