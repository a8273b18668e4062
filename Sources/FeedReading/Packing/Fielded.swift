/// A value whose method `visit` lists all its fields. The code that packs the value, writes it as
/// JSON or reads it uses this one list.
public protocol Fielded: Packable {
  /// An empty value, which a reader fills field by field.
  static var blank: Self { get }

  /// The positions that the fields have in `visit`, sorted by the keys of the fields. JSON is
  /// written in this order.
  static var order: [Int] { get }

  /// Passes each field to `visitor`. Packed bytes have the fields in the same order.
  mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault)
}

/// Writes or reads the fields of a value, one after the other.
///
/// The compiler specialises each visitor for each type, so a field costs no dynamic call and no
/// allocation.
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
  /// Visits an optional array. Packed bytes do not distinguish an empty array from nil: an unpacker
  /// reads nil for both.
  mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]?) throws(Fault)

  /// Visits a field that JSON leaves out if it is false.
  mutating func rare(_ key: String, _ value: inout Bool) throws(Fault)
  /// Visits the name of a file. In JSON, "name" is the name that follows from `number`, such as
  /// "0001.mp4". If the file has another name, "ownName" is that name.
  mutating func fileName(_ name: inout String, number: Int) throws(Fault)
  /// Visits a field that JSON has, but packed bytes do not have here. The value's own `pack(into:)`
  /// writes it at another place.
  mutating func unpacked<Word: FieldWord>(_ key: String, _ value: inout Word) throws(Fault)
  mutating func unpacked(_ key: String, _ value: inout Bool?) throws(Fault)
  /// Visits a number that only packed bytes have. JSON lacks it, because it follows from other
  /// fields.
  mutating func derived(_ number: () -> Int?) throws(Fault)
}

/// A value that is one of a few words. JSON has the word. Packed bytes have the word's place in
/// `allCases`.
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
