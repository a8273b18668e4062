/// Undoes gzip and deflate (RFC 1952, 1950, 1951).
///
/// libcurl undoes them by itself, but not where a server names a coding besides that is none. The
/// bytes that come out are bounded, whatever goes in.
struct Inflater {
  enum Failure: Error {
    case malformed
    /// More bytes come out than are wanted.
    case tooLong
  }

  private let bytes: [UInt8]
  private let limit: Int
  private var place = 0
  private var bits = 0
  private var bitCount = 0
  private var output: [UInt8] = []

  /// Returns the plain bytes of a body.
  ///
  /// - Throws: `malformed`, or `tooLong` if there are more than `limit`.
  static func plain(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var inflater = Inflater(bytes: bytes, limit: limit)
    if bytes.starts(with: [0x1F, 0x8B]) {
      repeat {
        try inflater.skipGzipHead()
        try inflater.inflate()
        try inflater.skip(8)  // its checksum and its length
      } while inflater.bytes.dropFirst(inflater.place).starts(with: [0x1F, 0x8B])
    } else {
      // RFC 9110 §8.4.1.2: some servers leave the head of zlib out.
      if bytes.count > 1, bytes[0] & 0x0F == 8, (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0 {
        inflater.place = 2
      }
      try inflater.inflate()
    }
    return inflater.output
  }

  private init(bytes: [UInt8], limit: Int) {
    self.bytes = bytes
    self.limit = limit
  }

  // MARK: Heads

  private mutating func skip(_ count: Int) throws(Failure) {
    guard bytes.count - place >= count else { throw .malformed }
    place += count
  }

  private mutating func skipGzipHead() throws(Failure) {
    guard bytes.count - place >= 10, bytes[place + 2] == 8 else { throw .malformed }
    let flags = bytes[place + 3]
    try skip(10)
    if flags & 4 != 0 {
      guard bytes.count - place >= 2 else { throw .malformed }
      try skip(2 + Int(bytes[place]) + Int(bytes[place + 1]) << 8)
    }
    for flag in [8, 16] as [UInt8] where flags & flag != 0 {
      guard let end = bytes[place...].firstIndex(of: 0) else { throw .malformed }
      place = end + 1
    }
    if flags & 2 != 0 { try skip(2) }
  }

  // MARK: Blocks

  private mutating func take(_ count: Int) throws(Failure) -> Int {
    while bitCount < count {
      guard place < bytes.count else { throw .malformed }
      bits |= Int(bytes[place]) << bitCount
      place += 1
      bitCount += 8
    }
    defer {
      bits >>= count
      bitCount -= count
    }
    return bits & (1 << count - 1)
  }

  private mutating func inflate() throws(Failure) {
    var isLast = false
    while !isLast {
      isLast = try take(1) == 1
      switch try take(2) {
      case 0: try copyStored()
      case 1: try decode(Code(Self.fixedLengths), Code([UInt8](repeating: 5, count: 30)))
      case 2:
        let (literals, distances) = try readCodes()
        try decode(literals, distances)
      default: throw .malformed
      }
    }
    // Whole bytes that were read ahead belong to what follows.
    place -= bitCount / 8
    (bits, bitCount) = (0, 0)
  }

  private mutating func copyStored() throws(Failure) {
    place -= bitCount / 8
    (bits, bitCount) = (0, 0)
    guard bytes.count - place >= 4 else { throw .malformed }
    let length = Int(bytes[place]) | Int(bytes[place + 1]) << 8
    let start = place + 4
    try skip(4 + length)
    guard output.count + length <= limit else { throw .tooLong }
    output += bytes[start..<start + length]
  }

  private mutating func readCodes() throws(Failure) -> (Code, Code) {
    let literals = try take(5) + 257
    let distances = try take(5) + 1
    let count = try take(4) + 4
    var own = [UInt8](repeating: 0, count: 19)
    for index in Self.order.prefix(count) { own[index] = UInt8(try take(3)) }
    let code = try Code(own)
    var lengths: [UInt8] = []
    while lengths.count < literals + distances {
      let symbol = try next(code)
      switch symbol {
      case 0..<16: lengths.append(UInt8(symbol))
      case 16:
        guard let last = lengths.last else { throw .malformed }
        lengths += [UInt8](repeating: last, count: try take(2) + 3)
      case 17: lengths += [UInt8](repeating: 0, count: try take(3) + 3)
      default: lengths += [UInt8](repeating: 0, count: try take(7) + 11)
      }
    }
    guard lengths.count == literals + distances else { throw .malformed }
    return (try Code(lengths[..<literals]), try Code(lengths[literals...]))
  }

  private mutating func decode(_ literals: Code, _ distances: Code) throws(Failure) {
    while true {
      let symbol = try next(literals)
      guard symbol != 256 else { return }
      guard output.count < limit else { throw .tooLong }
      guard symbol > 256 else {
        output.append(UInt8(symbol))
        continue
      }
      guard symbol < 286 else { throw .malformed }
      let (base, more) = Self.runs[symbol - 257]
      let length = base + (try take(more))
      let far = try next(distances)
      guard far < 30 else { throw .malformed }
      let distance = Self.distances[far].0 + (try take(Self.distances[far].1))
      guard distance <= output.count else { throw .malformed }
      guard output.count + length <= limit else { throw .tooLong }
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  /// Reads one symbol, bit by bit.
  private mutating func next(_ code: Code) throws(Failure) -> Int {
    var (value, first, index) = (0, 0, 0)
    for length in 1...15 {
      value |= try take(1)
      let count = code.counts[length]
      if value - first < count { return code.symbols[index + value - first] }
      index += count
      first = (first + count) << 1
      value <<= 1
    }
    throw .malformed
  }

  /// A canonical Huffman code.
  private struct Code {
    private(set) var counts = [Int](repeating: 0, count: 16)
    private(set) var symbols: [Int] = []

    init(_ lengths: some Collection<UInt8>) throws(Failure) {
      for length in lengths { counts[Int(length)] += 1 }
      counts[0] = 0
      var left = 1
      for length in 1...15 {
        left = left << 1 - counts[length]
        guard left >= 0 else { throw .malformed }
      }
      for length in 1...15 where counts[length] > 0 {
        for (symbol, own) in lengths.enumerated() where Int(own) == length {
          symbols.append(symbol)
        }
      }
    }
  }

  // MARK: Tables

  private static let order = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  private static let fixedLengths =
    [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112)
    + [UInt8](repeating: 7, count: 24) + [UInt8](repeating: 8, count: 8)

  /// The shortest run of each symbol, and the bits that say how much longer it is.
  private static let runs: [(Int, Int)] = {
    var runs = table(from: 3, symbols: 28, perStep: 4)
    runs.append((258, 0))
    return runs
  }()

  private static let distances = table(from: 1, symbols: 30, perStep: 2)

  private static func table(from first: Int, symbols: Int, perStep: Int) -> [(Int, Int)] {
    var base = first
    return (0..<symbols).map { symbol in
      let more = max(0, symbol / perStep - 1)
      defer { base += 1 << more }
      return (base, more)
    }
  }
}
