/// A value whose fields are listed in one place: `visit`. The list says how the value is packed, and how
/// it is written as JSON and read again.
public protocol Fielded: Packable {
  /// An empty value, into which a reader puts the fields.
  static var blank: Self { get }

  /// The places of the fields in `visit`, in the order of their keys.
  static var order: [Int] { get }

  /// Shows each field to `visitor`, in the order of the packed bytes.
  mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault)
}

/// Writes or reads the fields of a value, one after the other.
///
/// Each visitor is made for all types at compile time, so a field costs no call and no box.
public protocol FieldVisitor {
  associatedtype Fault: Error

  mutating func field(_ key: String, _ value: inout String) throws(Fault)
  mutating func field(_ key: String, _ value: inout String?) throws(Fault)
  mutating func field(_ key: String, _ value: inout Int) throws(Fault)
  mutating func field(_ key: String, _ value: inout Int?) throws(Fault)
  mutating func field(_ key: String, _ value: inout UInt64) throws(Fault)
  mutating func field(_ key: String, _ value: inout Double) throws(Fault)
  mutating func field(_ key: String, _ value: inout Double?) throws(Fault)
  mutating func field(_ key: String, _ value: inout Bool) throws(Fault)
  mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word) throws(Fault)
  mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word?) throws(Fault)
  mutating func field<Value: Fielded>(_ key: String, _ value: inout Value) throws(Fault)
  mutating func field<Value: Fielded>(_ key: String, _ value: inout Value?) throws(Fault)
  mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]) throws(Fault)
  /// An empty array is nil.
  mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]?) throws(Fault)

  /// Visits a field that JSON leaves out if it is false.
  mutating func rare(_ key: String, _ value: inout Bool) throws(Fault)
  /// Visits the name of a file. JSON has the name by its number, and beside it another one.
  mutating func fileName(_ name: inout String, number: Int) throws(Fault)
  /// Visits a field that packed bytes have elsewhere.
  mutating func unpacked<Word: FieldWord>(_ key: String, _ value: inout Word) throws(Fault)
  mutating func unpacked(_ key: String, _ value: inout Bool?) throws(Fault)
  /// Visits a number that only packed bytes have, because it follows from other fields.
  mutating func derived(_ number: () -> Int?) throws(Fault)
}

/// One of a few words.
public protocol FieldWord: RawRepresentable<String>, CaseIterable, Equatable
where AllCases == [Self] {}

extension FieldVisitor {
  @inlinable @inline(__always)
  public mutating func rare(_ key: String, _ value: inout Bool) throws(Fault) {
    try field(key, &value)
  }

  @inlinable @inline(__always)
  public mutating func fileName(_ name: inout String, number: Int) throws(Fault) {
    try field("name", &name)
  }

  @inlinable @inline(__always)
  public mutating func unpacked<Word: FieldWord>(_ key: String, _ value: inout Word) {}

  @inlinable @inline(__always)
  public mutating func unpacked(_ key: String, _ value: inout Bool?) {}

  @inlinable @inline(__always)
  public mutating func derived(_ number: () -> Int?) {}
}

extension Fielded {
  public static var order: [Int] { FieldKeys.order(of: Self.self) }
}
