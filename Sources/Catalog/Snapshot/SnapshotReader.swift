import FeedReading

/// Splits a snapshot while it is read. The entries come one by one, and the rest comes as a whole.
struct SnapshotReader {
  private(set) var entries = PackedArray<CatalogEntry>()
  /// The document without its entries.
  private(set) var shell: [UInt8] = []
  /// True when an entry could not be read.
  private(set) var isDamaged = false

  private var depth = 0
  private var isInText = false
  private var isEscaped = false
  /// The depth of the entries while their list is open; nil otherwise.
  private var listDepth: Int?
  /// The bytes of the entry that is being read.
  private var entry: [UInt8] = []

  private static let list = Array("\"entries\":".utf8)

  mutating func take(_ piece: [UInt8]) {
    for byte in piece { take(byte) }
  }

  private mutating func take(_ byte: UInt8) {
    if isInText {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == Byte.quote {
        isInText = false
      }
      return keep(byte)
    }
    switch byte {
    case Byte.quote: isInText = true
    case UInt8(ascii: "{"), Byte.openBracket: return begin(byte)
    case UInt8(ascii: "}"), Byte.closeBracket: return end(byte)
    case 0x09, 0x0A, 0x0D, Byte.space: return  // white space between values
    default: break
    }
    keep(byte)
  }

  private mutating func begin(_ byte: UInt8) {
    keep(byte)
    depth += 1
    if byte == Byte.openBracket, depth == 2, listDepth == nil,
      shell.dropLast().suffix(Self.list.count).elementsEqual(Self.list)
    {
      listDepth = depth
    }
  }

  private mutating func end(_ byte: UInt8) {
    if depth == listDepth { listDepth = nil }
    keep(byte)
    depth -= 1
    guard depth == listDepth else { return }
    var json = StrictJSON(entry)
    if let read = try? CatalogEntry(from: &json) {
      entries.append(read)
    } else {
      isDamaged = true
    }
    entry.removeAll(keepingCapacity: true)
  }

  /// Appends a byte to the shell or the entry. Drops the commas between entries.
  private mutating func keep(_ byte: UInt8) {
    guard let listDepth else { return shell.append(byte) }
    if depth > listDepth || byte == UInt8(ascii: "{") { entry.append(byte) }
  }
}
