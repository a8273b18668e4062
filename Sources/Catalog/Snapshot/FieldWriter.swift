import FeedReading

// Writes an entry as JSON for a snapshot. The keys are the names of the properties. Nil values are
// left out. `Codable` would write and read the same JSON.

extension JSONText {
  /// Writes a value as an object, with its members sorted by their keys.
  mutating func put(_ value: some Fielded) {
    var copy = value
    var writer = FieldWriter()
    swap(&self, &writer.text)
    let start = writer.text.begin()
    copy.visit(&writer)
    swap(&self, &writer.text)
    end(from: start, in: type(of: value).order)
  }
}

/// Writes the fields of a value as members of an object.
private struct FieldWriter {
  var text = JSONText()
}

extension FieldWriter: FieldVisitor {
  typealias Fault = Never

  @inline(__always)
  mutating func field(_ key: String, _ value: inout String) {
    text.member(key, value as String?)
    text.endMember()
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout String?) {
    text.member(key, value)
    text.endMember()
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Int) {
    text.member(key, value as Int?)
    text.endMember()
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Int?) {
    text.member(key, value)
    text.endMember()
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout UInt64) {
    let number = value
    text.member(key) { $0.put(number) }
    text.endMember()
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Double) {
    text.member(key, value as Double?)
    text.endMember()
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Double?) {
    text.member(key, value)
    text.endMember()
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout Bool) {
    text.member(key, value)
    text.endMember()
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout some FieldWord) {
    text.member(key, value.rawValue as String?)
    text.endMember()
  }

  @inline(__always)
  mutating func field<Word: FieldWord>(_ key: String, _ value: inout Word?) {
    text.member(key, value?.rawValue)
    text.endMember()
  }

  @inline(__always)
  mutating func field(_ key: String, _ value: inout some Fielded) {
    text.member(key) { [value] in $0.put(value) }
    text.endMember()
  }

  @inline(__always)
  mutating func field<Value: Fielded>(_ key: String, _ value: inout Value?) {
    if let value { text.member(key) { $0.put(value) } }
    text.endMember()
  }

  @inline(__always)
  mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]) {
    text.member(key) { [values] in $0.array(values) { $0.put($1) } }
    text.endMember()
  }

  @inline(__always)
  mutating func field<Value: Fielded>(_ key: String, _ values: inout [Value]?) {
    if let values { text.member(key) { $0.array(values) { $0.put($1) } } }
    text.endMember()
  }

  @inline(__always)
  mutating func rare(_ key: String, _ value: inout Bool) {
    if value { text.member(key, true) }
    text.endMember()
  }

  @inline(__always)
  mutating func unpacked(_ key: String, _ value: inout some FieldWord) {
    field(key, &value)
  }

  @inline(__always)
  mutating func unpacked(_ key: String, _ value: inout Bool?) {
    if let value { text.member(key, value) }
    text.endMember()
  }

  @inline(__always)
  mutating func fileName(_ name: inout String, number: Int) {
    var numbered = FileName.name(number: number, fileExtension: FileName.fileExtension(of: name))
    var own = name == numbered ? nil : name
    field("name", &numbered)
    field("ownName", &own)
  }
}
