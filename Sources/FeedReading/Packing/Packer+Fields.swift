// Writes and reads packed bytes field by field, in the order of `Fielded.visit`.

extension Fielded {
  @inlinable public init(from packed: inout Unpacker) {
    self = .blank
    visit(&packed)
  }

  @inlinable public consuming func pack(into packer: inout Packer) {
    var copy = self
    copy.visit(&packer)
  }
}

extension Packer: FieldVisitor {
  public typealias Fault = Never

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout String) {
    put(value)
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout String?) {
    put(value)
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Int) {
    put(value)
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Int?) {
    put(value)
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout UInt64) {
    put(value)
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Double) {
    put(value as Double?)
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Double?) {
    put(value)
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Bool) {
    put(value)
  }

  @inlinable @inline(__always)
  public mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word) {
    put(Word.allCases.firstIndex(of: value) ?? 0)
  }

  @inlinable @inline(__always)
  public mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word?) {
    put(value.flatMap { Word.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Fielded>(_ key: String, _ value: inout Value) {
    value.visit(&self)
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Fielded>(_ key: String, _ value: inout Value?) {
    put(value != nil)
    value?.visit(&self)
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Packable>(_ key: String, _ values: inout [Value]) {
    put(values)
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Packable>(_ key: String, _ values: inout [Value]?) {
    put(values ?? [])
  }

  @inlinable @inline(__always)
  public mutating func derived(_ number: () -> Int?) {
    put(number())
  }
}

extension Unpacker: FieldVisitor {
  public typealias Fault = Never

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout String) {
    value = text()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout String?) {
    value = optionalText()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Int) {
    value = int()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Int?) {
    value = optionalInt()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout UInt64) {
    value = uint()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Double) {
    value = double() ?? 0
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Double?) {
    value = double()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Bool) {
    value = bool()
  }

  @inlinable @inline(__always)
  public mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word) {
    value = Word.allCases[int()]
  }

  @inlinable @inline(__always)
  public mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word?) {
    let number = int()
    value = number == 0 ? nil : Word.allCases[number - 1]
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Packable>(_ key: String, _ value: inout Value) {
    value = Value(from: &self)
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Packable>(_ key: String, _ value: inout Value?) {
    value = optional()
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Packable>(_ key: String, _ values: inout [Value]) {
    values = array()
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Packable>(_ key: String, _ values: inout [Value]?) {
    let read: [Value] = array()
    values = read.isEmpty ? nil : read
  }

  @inlinable @inline(__always)
  public mutating func derived(_ number: () -> Int?) {
    _ = optionalInt()
  }
}
