import Blocks

/// The checksums of some blocks of a file, in memory.
///
/// 64 consecutive blocks form a row. Most blocks come in order, so the row that was used last is
/// kept outside the dictionary that has all other rows.
struct BlockChecksums: Sendable {
  private struct Row: Sendable {
    /// One bit for each block of the row, set if the block has a checksum in `values`.
    var known: UInt64 = 0
    var values: [UInt32] = []
  }

  private var latest = 0
  private var row = Row()
  private var others: [Int: Row] = [:]

  subscript(_ block: BlockIndex) -> UInt32? {
    get {
      let (number, bit) = (block.value >> 6, UInt64(1) << UInt64(block.value & 63))
      guard number != latest else {
        return row.known & bit == 0 ? nil : row.values[block.value & 63]
      }
      guard let row = others.isEmpty ? nil : others[number], row.known & bit != 0 else {
        return nil
      }
      return row.values[block.value & 63]
    }
    set {
      if block.value >> 6 != latest {
        if newValue == nil, others[block.value >> 6] == nil { return }
        turn(to: block.value >> 6)
      }
      let bit = UInt64(1) << UInt64(block.value & 63)
      guard let newValue else { return row.known &= ~bit }
      if row.values.isEmpty { row.values = Array(repeating: 0, count: 64) }
      row.known |= bit
      row.values[block.value & 63] = newValue
    }
  }

  private mutating func turn(to number: Int) {
    let next = others.removeValue(forKey: number) ?? Row()
    if row.known != 0 { others[latest] = row }
    (latest, row) = (number, next)
  }
}
