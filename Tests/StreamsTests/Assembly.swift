import TestSupport

@testable import Streams

/// Does with bytes in memory what a mount does with resources: learns a layout, and makes the file.
enum Assembly {
  /// Asks a plan until it is done.
  static func index(
    of bytes: [UInt8], segments: [StrandPlan.Segment] = []
  ) throws -> (index: StrandIndex, requests: [Range<Int>]) {
    var plan = StrandPlan(length: bytes.count, segments: segments)
    var requests: [Range<Int>] = []
    while requests.count < 1000 {
      switch try plan.step() {
      case .done(let index): return (index, requests)
      case .needs(let range):
        requests.append(range)
        plan.take(bytes[range], at: range.lowerBound)
      }
    }
    throw TestToolError("no end of requests")
  }

  static func layout(
    _ strands: [StrandIndex], chapters: [StreamChapter] = []
  ) throws -> StreamLayout {
    try StreamRecipe(strands: strands, chapters: chapters, hash: SHA256.hash).layout()
  }

  /// Makes a slot of what its map asks for, and counts the bytes that it asked for.
  static func pieces(
    _ layout: StreamLayout, slot: Int, _ fragment: ArraySlice<UInt8>, asked: inout Int
  ) throws -> [SlotPiece] {
    var map = ClusterMap(layout, slot: slot)
    var requests = 0
    while let range = map.needs {
      requests += 1
      guard requests < 100 else { throw TestToolError("no end of requests") }
      asked += range.count
      let start = fragment.startIndex
      try map.take(
        fragment[start + range.lowerBound..<start + range.upperBound], at: range.lowerBound)
    }
    return try map.pieces()
  }

  static func bytes(_ pieces: [SlotPiece], of fragment: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for piece in pieces {
      switch piece {
      case .bytes(let content): bytes += content
      case .zeros(let count): bytes += [UInt8](repeating: 0, count: count)
      case .range(let range):
        bytes += fragment.dropFirst(range.lowerBound).prefix(range.count)
      }
    }
    return bytes
  }

  /// Makes the whole file; each slot once of its map, and once of the whole fragment.
  ///
  /// - Returns: the file, and the bytes that the maps needed.
  static func file(
    _ layout: StreamLayout, _ resources: [[UInt8]], order: [Int]? = nil
  ) throws -> (bytes: [UInt8], asked: Int) {
    var slots = [[UInt8]](repeating: [], count: layout.fragments.count)
    var asked = 0
    for slot in order ?? Array(slots.indices) {
      let fragment = layout.fragments[slot]
      let content = resources[fragment.resource][fragment.bytes]
      slots[slot] = bytes(
        try pieces(layout, slot: slot, content, asked: &asked), of: content)
      var whole = ClusterMap(layout, slot: slot)
      try whole.take(content, at: 0)
      guard bytes(try whole.pieces(), of: content) == slots[slot] else {
        throw TestToolError("slot \(slot) differs with the whole fragment")
      }
      guard slots[slot].count == layout.bytes(ofSlot: slot).count else {
        throw TestToolError("slot \(slot) has \(slots[slot].count) bytes")
      }
    }
    return (layout.head + slots.joined(), asked)
  }
}
