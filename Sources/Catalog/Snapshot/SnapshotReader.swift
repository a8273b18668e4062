import FeedReading

/// Splits a snapshot while it is read: decodes each entry by itself, and collects everything else
/// in `shell`.
struct SnapshotReader {
  private(set) var entries = PackedArray<CatalogEntry>()
  /// The document without its entries.
  private(set) var shell: [UInt8] = []
  /// True when an entry could not be read.
  private(set) var isDamaged = false

  private var depth = 0
  private var isInText = false
  private var isEscaped = false
  /// The depth of the list of entries while it is open; nil otherwise.
  private var listDepth: Int?
  /// The bytes of the entry that is being read.
  private var entry: [UInt8] = []

  private static let list = Array("\"entries\":".utf8)

  mutating func take(_ piece: [UInt8]) {
    var at = 0
    while at < piece.count {
      let end = endOfRun(in: piece, from: at)
      if end > at { keep(piece[at..<end]) }
      if end < piece.count { take(piece[end]) }
      at = end + 1
    }
  }

  /// Returns the end of a run of bytes from `start` on that can be copied to the entry as they are,
  /// because they do not change the state of this reader.
  private func endOfRun(in piece: [UInt8], from start: Int) -> Int {
    guard let listDepth, depth > listDepth, !isEscaped else { return start }
    var end = start
    if isInText {
      while end < piece.count, piece[end] != Byte.quote, piece[end] != UInt8(ascii: "\\") {
        end += 1
      }
    } else {
      let isPlain = Self.isPlain
      while end < piece.count, isPlain[Int(piece[end])] { end += 1 }
    }
    return end
  }

  /// For each byte value, whether it leaves the state of this reader unchanged outside of strings.
  private static let isPlain: [Bool] = (0...255).map { byte in
    !"\"{}[]\t\n\r ".utf8.contains(UInt8(byte))
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
    if let read: CatalogEntry = try? json.value() {
      entries.append(read)
    } else {
      isDamaged = true
    }
    entry.removeAll(keepingCapacity: true)
  }

  private mutating func keep(_ run: ArraySlice<UInt8>) {
    entry += run
  }

  /// Appends a byte to the shell or to the entry. The commas between entries are dropped.
  private mutating func keep(_ byte: UInt8) {
    guard let listDepth else { return shell.append(byte) }
    if depth > listDepth || byte == UInt8(ascii: "{") { entry.append(byte) }
  }
}
