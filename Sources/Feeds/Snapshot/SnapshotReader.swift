/// Takes a snapshot apart while it is read: its entries one by one, and the rest as a whole.
struct SnapshotReader {
  private(set) var entries = PackedArray<CatalogEntry>()
  /// The document with no entries in it.
  private(set) var shell: [UInt8] = []
  /// Some entry could not be read.
  private(set) var isDamaged = false

  private var depth = 0
  private var isInText = false
  private var isEscaped = false
  /// Where the list of entries is open, how deep what lies in it is.
  private var listDepth: Int?
  /// The entry that is being read.
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
    case 0x09, 0x0A, 0x0D, Byte.space: return  // between values they mean nothing
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

  /// Between two entries there is nothing but commas.
  private mutating func keep(_ byte: UInt8) {
    guard let listDepth else { return shell.append(byte) }
    if depth > listDepth || byte == UInt8(ascii: "{") { entry.append(byte) }
  }
}
