import Blocks

/// The incomplete blocks of a file, each with the number and the checksum of the bytes that came of
/// it.
///
/// Most bytes that arrive belong to one of the blocks that were begun last. These blocks are in a
/// short array, because a search there is faster than in a dictionary. All other blocks are in the
/// dictionary.
struct BegunBlocks: Sendable {
  typealias Partial = EntryState.Partial

  /// The limit for the blocks in the array: twice the number of lanes that one reader has.
  private static let maxBlocks = 8

  private var latest: [(block: BlockIndex, partial: Partial)] = []
  private var others: [BlockIndex: Partial] = [:]

  var isEmpty: Bool { latest.isEmpty && others.isEmpty }

  /// All incomplete blocks, in no order.
  var all: [(block: BlockIndex, partial: Partial)] {
    latest + others.map { (block: $0.key, partial: $0.value) }
  }

  subscript(_ block: BlockIndex) -> Partial? {
    get {
      if let index = index(of: block) { return latest[index].partial }
      return others.isEmpty ? nil : others[block]
    }
    set {
      guard let newValue else { return remove(block) }
      if let index = index(of: block) {
        latest[index].partial = newValue
        return
      }
      if !others.isEmpty { others[block] = nil }
      if latest.count == Self.maxBlocks {
        let oldest = latest.removeFirst()
        others[oldest.block] = oldest.partial
      }
      latest.append((block, newValue))
    }
  }

  /// Forgets each incomplete block that is in `blocks`.
  mutating func remove(_ blocks: Range<BlockIndex>) {
    latest.removeAll { blocks.contains($0.block) }
    guard !others.isEmpty else { return }
    if blocks.count < others.count {
      for block in blocks { others[block] = nil }
    } else {
      others = others.filter { !blocks.contains($0.key) }
    }
  }

  private mutating func remove(_ block: BlockIndex) {
    if let index = index(of: block) {
      latest.remove(at: index)
    } else if !others.isEmpty {
      others[block] = nil
    }
  }

  private func index(of block: BlockIndex) -> Int? {
    var index = latest.count
    while index > 0 {
      index -= 1
      if latest[index].block == block { return index }
    }
    return nil
  }
}
