import FeedReading

extension StrictJSON {
  /// Reads a value that `JSONText` wrote, with its members in any order.
  mutating func value<Value: Fielded>() throws(Fault) -> Value {
    var value = Value.blank
    var reader = FieldReader(json: self)
    try reader.json.expect(UInt8(ascii: "{"))
    if !reader.json.take(UInt8(ascii: "}")) {
      repeat {
        try reader.begin()
        try value.visit(&reader)
        if !reader.isTaken { try reader.json.skip() }
      } while reader.json.take(UInt8(ascii: ","))
      try reader.json.expect(UInt8(ascii: "}"))
    }
    go(to: reader.json.at)
    reader.end()
    try value.visit(&reader)
    return value
  }
}

/// Reads one member of an object into the field with the same key. After the last member, a further
/// visit checks that no required field is missing.
private struct FieldReader {
  typealias Fault = StrictJSON.Fault

  var json: StrictJSON
  private var key = ""
  private(set) var isTaken = false
  /// True after the last member of the object was read.
  private var isOver = false
  /// A bit for each field that was read. The number of the bit is the place of the field in
  /// `visit`, from 1.
  private var found: UInt64 = 0
  /// The value of "ownName": the name of a file that is not named by its number; nil if there is
  /// none.
  private var ownName: String?
  private var place: UInt64 = 0

  init(json: StrictJSON) {
    self.json = json
  }

  mutating func begin() throws(Fault) {
    key = try json.text()
    try json.expect(Byte.colon)
    (isTaken, place) = (false, 0)
  }

  /// Ends the reading of members. The next visit checks that no required field is missing.
  mutating func end() {
    (isTaken, isOver, place) = (true, true, 0)
  }

  @inline(__always)
  private mutating func isNext(_ name: String, isNeeded: Bool = true) throws(Fault) -> Bool {
    place += 1
    if isOver, isNeeded, found & 1 << place == 0 { throw Fault() }
    guard !isTaken, key == name else { return false }
    isTaken = true
    found |= 1 << place
    return true
  }
}

extension FieldReader: FieldVisitor {
  @inline(__always)
  mutating func field(_ key: String, _ value: inout String) throws(Fault) {
    if try isNext(key) { value = try json.text() }
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout String?) throws(Fault) {
    guard try isNext(key, isNeeded: false) else { return }
    value = try json.optional { json throws(Fault) in try json.text() }
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Int) throws(Fault) {
    if try isNext(key) { value = try json.int() }
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Int?) throws(Fault) {
    guard try isNext(key, isNeeded: false) else { return }
    value = try json.optional { json throws(Fault) in try json.int() }
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout UInt64) throws(Fault) {
    if try isNext(key) { value = try json.int() }
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Double) throws(Fault) {
    if try isNext(key) { value = try json.double() }
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Double?) throws(Fault) {
    guard try isNext(key, isNeeded: false) else { return }
    value = try json.optional { json throws(Fault) in try json.double() }
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Bool) throws(Fault) {
    if try isNext(key) { value = try json.bool() }
  }

  @inline(__always)
  mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word) throws(Fault) {
    guard try isNext(key) else { return }
    guard let word = Word(rawValue: try json.text()) else { throw Fault() }
    value = word
  }

  /// Reads an unknown word as nil, because a later feedfs can have written it.
  @inline(__always)
  mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word?) throws(Fault) {
    guard try isNext(key, isNeeded: false) else { return }
    value = try json.optional { json throws(Fault) in try json.text() }.flatMap(Word.init)
  }

  @inline(__always)
  mutating func field<Value: Fielded>(_ key: String, _ value: inout Value) throws(Fault) {
    if try isNext(key) { value = try json.value() }
  }

  @inline(__always)
  mutating func field<Value: Fielded>(_ key: String, _ value: inout Value?) throws(Fault) {
    guard try isNext(key, isNeeded: false) else { return }
    value = try json.optional { json throws(Fault) in try json.value() }
  }

  @inline(__always)
  mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]) throws(Fault) {
    guard try isNext(key) else { return }
    values = try json.array { json throws(Fault) in try json.value() }
  }

  @inline(__always)
  mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]?) throws(Fault) {
    guard try isNext(key, isNeeded: false) else { return }
    values = try json.optional { json throws(Fault) in
      try json.array { json throws(Fault) in try json.value() }
    }
  }

  @inline(__always)
  mutating func fileName(_ name: inout String, number: Int) throws(Fault) {
    try field("name", &name)
    var own = ownName
    try field("ownName", &own)
    ownName = own
    if isOver, let own, Self.isOwn(own, insteadOf: name) { name = own }
  }

  @inline(__always)
  mutating func rare(_ key: String, _ value: inout Bool) throws(Fault) {
    if try isNext(key, isNeeded: false) { value = try json.bool() }
  }

  @inline(__always)
  mutating func unpacked(_ key: String, _ value: inout some FieldWord) throws(Fault) {
    try field(key, &value)
  }

  @inline(__always)
  mutating func unpacked(_ key: String, _ value: inout Bool?) throws(Fault) {
    guard try isNext(key, isNeeded: false) else { return }
    value = try json.optional { json throws(Fault) in try json.bool() }
  }

  /// Whether a file can have `name` instead of the name by its number: both must have the same
  /// extension.
  private static func isOwn(_ name: String, insteadOf numbered: String) -> Bool {
    FileName.fileExtension(of: name).lowercased() == FileName.fileExtension(of: numbered)
  }
}
