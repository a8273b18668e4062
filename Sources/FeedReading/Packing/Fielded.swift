/// A value whose fields are listed in one place: `visit`. The list says how the value is packed, and how
/// it is written as JSON and read again.
public protocol Fielded: Packable {
  /// A value without anything, into which a reader puts the fields.
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

  /// Tells which landmark the next field is. Only these can be read alone.
  mutating func reaches(_ landmark: Landmark) throws(Fault)

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
  /// Visits the name of a file, which JSON calls by its number besides.
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

/// The fields that can be read alone from packed bytes, in the order in which they come.
public struct Landmark: OptionSet, Sendable {
  public let rawValue: UInt32

  @inlinable public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  @inlinable public static var number: Landmark { Landmark(rawValue: 1 << 0) }
  @inlinable public static var name: Landmark { Landmark(rawValue: 1 << 1) }
  @inlinable public static var inode: Landmark { Landmark(rawValue: 1 << 2) }
  @inlinable public static var firstSeen: Landmark { Landmark(rawValue: 1 << 3) }
  @inlinable public static var id: Landmark { Landmark(rawValue: 1 << 4) }
  @inlinable public static var skipped: Landmark { Landmark(rawValue: 1 << 5) }
  @inlinable public static var published: Landmark { Landmark(rawValue: 1 << 6) }
  @inlinable public static var likelyLength: Landmark { Landmark(rawValue: 1 << 7) }
  @inlinable public static var provedLength: Landmark { Landmark(rawValue: 1 << 8) }
  @inlinable public static var mark: Landmark { Landmark(rawValue: 1 << 9) }
  @inlinable public static var key: Landmark { Landmark(rawValue: 1 << 10) }
  @inlinable public static var alias: Landmark { Landmark(rawValue: 1 << 11) }
  @inlinable public static var linkName: Landmark { Landmark(rawValue: 1 << 12) }
  /// Of the notes, only their size is read alone.
  @inlinable public static var notes: Landmark { Landmark(rawValue: 1 << 13) }
  @inlinable public static var title: Landmark { Landmark(rawValue: 1 << 14) }
  /// Whether there are media; not what they are.
  @inlinable public static var media: Landmark { Landmark(rawValue: 1 << 15) }
  @inlinable public static var url: Landmark { Landmark(rawValue: 1 << 16) }
}

extension FieldVisitor {
  @inlinable @inline(__always)
  public mutating func reaches(_ landmark: Landmark) {}

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
