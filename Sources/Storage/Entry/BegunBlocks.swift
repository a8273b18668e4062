import Blocks

/// The begun blocks of a file, each with the bytes that came of it.
///
/// Fetches go on with a few blocks again and again. So the latest ones are at hand, and all others
/// are found by their numbers.
struct BegunBlocks: Sendable {
  typealias Partial = EntryState.Partial

  /// As many as there are lanes in a fill, and some more.
  private static let maxBlocks = 8

  private var latest: [(block: BlockIndex, partial: Partial)] = []
  private var others: [BlockIndex: Partial] = [:]

  var isEmpty: Bool { latest.isEmpty && others.isEmpty }

  /// All begun blocks, in no order.
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

  /// Forgets the begun ones among `blocks`.
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
