/// A dictionary from identifiers to values, sorted by identifier.
///
/// New identifiers are larger than all earlier ones, and few are in use at once. So a new key is
/// appended at the end, and a binary search costs less than a hash.
package struct IdentifierMap<Kind, Value> {
  package typealias Key = Identifier<Kind>

  package private(set) var keys: [Key] = []
  package private(set) var values: [Value] = []

  package var isEmpty: Bool { keys.isEmpty }
  package var count: Int { keys.count }

  package subscript(_ key: Key) -> Value? {
    get {
      let place = place(of: key)
      return has(key, at: place) ? values[place] : nil
    }
    set {
      let place = place(of: key)
      switch (has(key, at: place), newValue) {
      case (true, let value?): values[place] = value
      case (true, nil): remove(at: place)
      case (false, let value?):
        keys.insert(key, at: place)
        values.insert(value, at: place)
      case (false, nil): break
      }
    }
  }

  package func has(_ key: Key) -> Bool {
    has(key, at: place(of: key))
  }

  @discardableResult
  package mutating func removeValue(forKey key: Key) -> Value? {
    let place = place(of: key)
    guard has(key, at: place) else { return nil }
    return remove(at: place)
  }

  package func filter(_ isWanted: (Element) throws -> Bool) rethrows -> Self {
    var wanted = Self()
    for element in self where try isWanted(element) {
      wanted.keys.append(element.key)
      wanted.values.append(element.value)
    }
    return wanted
  }

  @discardableResult
  private mutating func remove(at place: Int) -> Value {
    keys.remove(at: place)
    return values.remove(at: place)
  }

  private func has(_ key: Key, at place: Int) -> Bool {
    place < keys.count && keys[place] == key
  }

  /// Returns the index of `key`, or the index at which it would be inserted.
  private func place(of key: Key) -> Int {
    guard let last = keys.last, key <= last else { return keys.count }
    var (start, end) = (0, keys.count - 1)
    while start < end {
      let middle = (start + end) / 2
      if keys[middle] < key { start = middle + 1 } else { end = middle }
    }
    return start
  }
}

extension IdentifierMap: Sendable where Value: Sendable {}

extension IdentifierMap: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (Key, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension IdentifierMap: Sequence {
  package typealias Element = (key: Key, value: Value)

  package struct Iterator: IteratorProtocol {
    fileprivate let map: IdentifierMap
    fileprivate var place = 0

    package mutating func next() -> Element? {
      guard place < map.keys.count else { return nil }
      defer { place += 1 }
      return (map.keys[place], map.values[place])
    }
  }

  package func makeIterator() -> Iterator { Iterator(map: self) }
}
