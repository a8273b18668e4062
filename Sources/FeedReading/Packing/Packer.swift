/// Packs a value into few bytes. Only this process reads them, so this is no file format.
///
/// A whole number is written with seven bits in each byte, the lowest bits first. A text is written
/// as its length and then its bytes.
public struct Packer {
  @usableFromInline var bytes: [UInt8] = []

  @inlinable init() {}

  /// Returns the packed bytes, and empties the packer. The packer keeps its memory for the next
  /// value; the result has no spare memory.
  @inlinable mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes.withUnsafeBufferPointer { Array($0) }
  }

  @inlinable public mutating func put(_ number: Int) {
    // The sign becomes the lowest bit, so small numbers of both signs are short.
    put(UInt64(bitPattern: Int64(number &<< 1 ^ number &>> 63)))
  }

  /// Replaces the number at the beginning of packed bytes.
  ///
  /// - Parameter number: from 0 to 127. The new number and the replaced one must both be below 64,
  ///   or both be 64 or more. Then only their first bytes differ.
  package static func overwrite(_ bytes: inout [UInt8], with number: Int) {
    bytes[0] = UInt8(number << 1)
  }

  @inlinable public mutating func put(_ number: Int?) {
    put(number != nil)
    if let number { put(number) }
  }

  @inlinable public mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    bytes.append(UInt8(rest))
  }

  @inlinable public mutating func put(_ number: Double?) {
    put(number != nil)
    guard let number else { return }
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number.bitPattern &>> UInt64(shift)))
    }
  }

  @inlinable public mutating func put(_ isTrue: Bool) {
    bytes.append(isTrue ? 1 : 0)
  }

  @inlinable public mutating func put(_ text: String) {
    put(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes zero for nil. Otherwise writes the length plus one, and then the text.
  @inlinable public mutating func put(_ text: String?) {
    guard let text else { return put(UInt64(0)) }
    put(UInt64(text.utf8.count + 1))
    bytes.append(contentsOf: text.utf8)
  }

  /// Copies the bytes that `unpacker` has not read yet.
  mutating func put(restOf unpacker: Unpacker) {
    bytes += unpacker.bytes[unpacker.at...]
  }

  @inlinable public mutating func put(_ value: some Packable) {
    value.pack(into: &self)
  }

  @inlinable public mutating func put(_ value: (some Packable)?) {
    put(value != nil)
    value?.pack(into: &self)
  }

  @inlinable public mutating func put(_ values: [some Packable]) {
    put(UInt64(values.count))
    for value in values { value.pack(into: &self) }
  }

  @inlinable public mutating func put(_ values: [String]) {
    put(UInt64(values.count))
    for value in values { put(value) }
  }
}

/// Reads the bytes that a `Packer` wrote.
public struct Unpacker {
  @usableFromInline let bytes: [UInt8]
  @usableFromInline var at = 0

  @inlinable public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  @inlinable public mutating func int() -> Int {
    let number = uint()
    return Int(truncatingIfNeeded: number &>> 1) ^ -Int(truncatingIfNeeded: number & 1)
  }

  @inlinable public mutating func optionalInt() -> Int? {
    bool() ? int() : nil
  }

  @inlinable public mutating func uint() -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = bytes[at]
      at += 1
      number |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  @inlinable public mutating func double() -> Double? {
    guard bool() else { return nil }
    let pattern = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[at + $1]) &<< UInt64(8 * $1) }
    at += 8
    return Double(bitPattern: pattern)
  }

  @inlinable public mutating func bool() -> Bool {
    defer { at += 1 }
    return bytes[at] == 1
  }

  @inlinable public mutating func text() -> String {
    text(Int(uint()))
  }

  @inlinable public mutating func optionalText() -> String? {
    let length = Int(uint())
    return length == 0 ? nil : text(length - 1)
  }

  @inlinable public mutating func skipText() {
    at += Int(uint())
  }

  @inlinable public mutating func skipOptionalText() {
    let length = Int(uint())
    at += max(0, length - 1)
  }

  /// Skips an optional text, and returns its size in bytes; 0 for nil.
  @inlinable public mutating func skippedSize() -> Int {
    let size = max(0, Int(uint()) - 1)
    at += size
    return size
  }

  @inlinable public mutating func optional<Value: Packable>() -> Value? {
    bool() ? Value(from: &self) : nil
  }

  @inlinable public mutating func array<Value: Packable>() -> [Value] {
    (0..<Int(uint())).map { _ in Value(from: &self) }
  }

  @inlinable public mutating func texts() -> [String] {
    (0..<Int(uint())).map { _ in text() }
  }

  @usableFromInline mutating func text(_ length: Int) -> String {
    defer { at += length }
    return String(decoding: bytes[at..<at + length], as: UTF8.self)
  }
}

/// A value that can be packed. Unpacking the bytes gives an equal value.
public protocol Packable {
  init(from packed: inout Unpacker)
  consuming func pack(into packer: inout Packer)
}

extension Packable {
  @inlinable public consuming func packed() -> [UInt8] {
    var packer = Packer()
    packer.bytes.reserveCapacity(512)  // most values need no more
    pack(into: &packer)
    return packer.take()
  }
}
