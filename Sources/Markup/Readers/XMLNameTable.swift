/// A key that is made of the addresses of names. The addresses stay valid while libxml2 reads,
/// because it keeps the names so long.
protocol XMLNameKey: Hashable {
  var address: Int { get }
}

extension UnsafePointer<UInt8>: XMLNameKey {
  var address: Int { Int(bitPattern: self) }
}

/// A table of values that were made from names. The key of a value is the address of its name.
///
/// A document has few names. So nearly every value is found in `places`, at an index that follows
/// from the address, without hashing.
struct XMLNameTable<Key: XMLNameKey, Value> {
  private var values: [Key: Value] = [:]
  private var places: [(key: Key, value: Value)?] = Array(repeating: nil, count: 256)

  /// Returns the value of a name, and makes it at the first call.
  mutating func value(of key: Key, make: () -> Value) -> Value {
    let place = (key.address ^ key.address &>> 8) & 255
    if let known = places[place], known.key == key { return known.value }
    let value = values[key] ?? make()
    values[key] = value
    places[place] = (key, value)
    return value
  }
}
