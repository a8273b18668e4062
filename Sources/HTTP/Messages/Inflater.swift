import CCurl

/// Unpacks gzip and deflate (RFC 1952, 1950, 1951) with zlib.
///
/// libcurl can unpack them too, but fails if Content-Encoding also has a word that is no coding.
/// The heads of the formats are skipped here without a check, because servers leave them out or get
/// them wrong. The output is bounded, whatever the input is.
struct Inflater {
  enum Failure: Error {
    case malformed
    /// There are more plain bytes than the limit allows.
    case tooLong
  }

  private let bytes: [UInt8]
  private let limit: Int
  /// Whether the beginning of the output is enough. Then the input is allowed to end early, and
  /// output beyond the limit is left out.
  private let isBeginning: Bool
  private var place = 0
  private var output: [UInt8] = []
  /// The buffer for zlib's output.
  private var room = [UInt8](repeating: 0, count: Self.step)

  /// Returns the plain bytes of a body.
  ///
  /// - Throws: `malformed`, or `tooLong` if there are more than `limit` plain bytes.
  static func plain(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    try output(of: Inflater(bytes: bytes, limit: limit, isBeginning: false))
  }

  /// Returns the first `limit` plain bytes of a body, or fewer if its packed bytes end early.
  ///
  /// - Throws: `malformed`.
  static func beginning(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    try output(of: Inflater(bytes: bytes, limit: limit, isBeginning: true))
  }

  private static func output(of begun: Inflater) throws(Failure) -> [UInt8] {
    var inflater = begun
    let bytes = begun.bytes
    if isGzip(bytes) {
      try inflater.inflateMembers()
    } else {
      // RFC 9110 §8.4.1.2: some servers leave the head of zlib out.
      let hasHead =
        bytes.count > 1 && bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
      inflater.place = hasHead ? 2 : 0
      // Plain text can look like a short block. But packed bytes have at most a checksum behind
      // their last block.
      if let rest = try inflater.inflate(), rest > (hasHead ? 4 : 0) { throw .malformed }
    }
    return inflater.output
  }

  private mutating func inflateMembers() throws(Failure) {
    for number in 0..<Self.maxMembers {
      do throws(Failure) {
        try skipGzipHead()
      } catch {
        // If a beginning is enough, the bytes can end within the head of a later member.
        guard isBeginning, number > 0 else { throw error }
        return
      }
      // The bytes can also end within the checksum and the length behind the blocks.
      guard let rest = try inflate(), !isBeginning || rest >= 8 else { return }
      try skip(8)  // the checksum and the length of the member
      guard bytes.dropFirst(place).starts(with: [0x1F, 0x8B]) else { return }
    }
    guard isBeginning else { throw .malformed }
  }

  /// Whether zlib can be loaded.
  static let isAvailable: Bool = {
    var stream = ccurl_zlib()
    guard ccurl_inflate_begin(&stream) == isGoingOn else { return false }
    ccurl_inflate_end(&stream)
    return true
  }()

  /// Whether the bytes begin like those of gzip.
  static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B, 8]) }

  private init(bytes: [UInt8], limit: Int, isBeginning: Bool) {
    self.bytes = bytes
    self.limit = limit
    self.isBeginning = isBeginning
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

  /// Lets zlib unpack the blocks that begin at `place`. Returns the number of bytes behind them;
  /// nil if `isBeginning` is true and the input or the limit ended within the blocks.
  private mutating func inflate() throws(Failure) -> Int? {
    let stream = UnsafeMutablePointer<ccurl_zlib>.allocate(capacity: 1)
    stream.initialize(to: ccurl_zlib())
    defer { stream.deallocate() }
    guard ccurl_inflate_begin(stream) == Self.isGoingOn else { throw .malformed }
    defer { ccurl_inflate_end(stream) }
    let (bytes, limit, place, isBeginning) = (bytes, limit, place, isBeginning)
    let rest = try bytes.withUnsafeBufferPointer { (input) throws(Failure) -> Int? in
      let input = input[place...]
      guard let start = UnsafeBufferPointer(rebasing: input).baseAddress else { throw .malformed }
      stream.pointee.next_in = start
      stream.pointee.avail_in = UInt32(clamping: input.count)
      while true {
        let status = room.withUnsafeMutableBufferPointer { out in
          stream.pointee.next_out = out.baseAddress
          stream.pointee.avail_out = UInt32(out.count)
          return ccurl_inflate(stream)
        }
        // If the input ends too early, zlib says that it cannot go on.
        if isBeginning, status == Self.isStuck { return nil }
        guard status == Self.isGoingOn || status == Self.isOver else { throw .malformed }
        let count = room.count - Int(stream.pointee.avail_out)
        guard output.count + count <= limit else {
          guard isBeginning else { throw .tooLong }
          output += room[..<(limit - output.count)]
          return nil
        }
        output += room[..<count]
        if status == Self.isOver { return Int(stream.pointee.avail_in) }
      }
    }
    if let rest { self.place = bytes.count - rest }
    return rest
  }

  /// The limit of gzip members in one body, because each costs time, even an empty one. BGZF files
  /// have a member for each 64 KiB.
  static let maxMembers = 4096

  /// The size of the buffer for zlib's output, in bytes.
  private static let step = 64 << 10
  /// The results of zlib: Z_OK, Z_STREAM_END and Z_BUF_ERROR.
  private static let (isGoingOn, isOver, isStuck): (CInt, CInt, CInt) = (0, 1, -5)
}
