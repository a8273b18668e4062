/// Reads some fields of packed bytes, skips what is before them, and stops behind them.
///
/// What is wanted is known at compile time, so nothing else is left of the visit.
public struct FieldGlance {
  /// Everything that is wanted was read.
  public struct End: Error {
    @inlinable public init() {}
  }

  @usableFromInline var packed: Unpacker
  @usableFromInline let wanted: Landmark
  /// The landmark that the next field is.
  @usableFromInline var next: Landmark = []
  /// The size of the notes in bytes.
  public var notesSize = 0
  public var likelyLength: Int?
  public var provedLength: Int?

  @inlinable @inline(__always)
  public init(_ packed: Unpacker, wanting landmarks: Landmark) {
    self.packed = packed
    wanted = landmarks
  }

  /// Reads the wanted fields into a value that is blank else.
  @inlinable @inline(__always)
  public mutating func value<Value: Fielded>() -> Value {
    var value = Value.blank
    do throws(End) { try value.visit(&self) } catch {}
    return value
  }

  @usableFromInline @inline(__always)
  var isWanted: Bool { !wanted.isDisjoint(with: next) }

  /// Ends the visit if the field that was read is the last one that is wanted.
  @inlinable @inline(__always)
  mutating func read() throws(End) {
    let landmark = next
    next = []
    if wanted.rawValue < landmark.rawValue << 1 { throw End() }
  }
}

extension FieldGlance: FieldVisitor {
  public typealias Fault = End

  @inlinable @inline(__always)
  public mutating func reaches(_ landmark: Landmark) {
    next = landmark
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout String) throws(End) {
    guard isWanted else { return packed.skipText() }
    value = packed.text()
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout String?) throws(End) {
    guard isWanted else { return packed.skipOptionalText() }
    if next == .notes { notesSize = packed.skippedSize() } else { value = packed.optionalText() }
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Int) throws(End) {
    guard isWanted else {
      _ = packed.int()
      return
    }
    value = packed.int()
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Int?) throws(End) {
    guard isWanted else {
      _ = packed.optionalInt()
      return
    }
    value = packed.optionalInt()
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout UInt64) throws(End) {
    guard isWanted else {
      _ = packed.uint()
      return
    }
    value = packed.uint()
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Double) throws(End) {
    guard isWanted else {
      _ = packed.double()
      return
    }
    value = packed.double() ?? 0
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Double?) throws(End) {
    guard isWanted else {
      _ = packed.double()
      return
    }
    value = packed.double()
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field(_ key: String, _ value: inout Bool) throws(End) {
    guard isWanted else {
      _ = packed.bool()
      return
    }
    value = packed.bool()
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word) throws(End) {
    guard isWanted else {
      _ = packed.int()
      return
    }
    packed.field(key, &value)
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word?) throws(End) {
    guard isWanted else {
      _ = packed.int()
      return
    }
    packed.field(key, &value)
    try read()
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Fielded>(_ key: String, _ value: inout Value) throws(End) {
    next = []
    try value.visit(&self)
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Fielded>(_ key: String, _ value: inout Value?) throws(End) {
    let isThere = packed.bool()
    if isThere { value = .blank }
    if isWanted { try read() }
    guard isThere else { return }
    var inner = Value.blank
    do throws(End) { try inner.visit(&self) } catch {
      value = inner
      throw error
    }
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]) throws(End) {
    for _ in 0..<Int(packed.uint()) {
      var inner = Value.blank
      try inner.visit(&self)
    }
  }

  @inlinable @inline(__always)
  public mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]?) throws(End) {
    var unused: [Value] = []
    try field(key, &unused)
  }

  @inlinable @inline(__always)
  public mutating func derived(_ number: () -> Int?) throws(End) {
    let number = packed.optionalInt()
    guard isWanted else { return }
    if next == .likelyLength { likelyLength = number } else { provedLength = number }
    try read()
  }
}
