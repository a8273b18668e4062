import Blocks

/// How much of the head and of the tail of a file stays when the rest has to go, in bytes: what a player
/// asks for first.
struct KeptEnds: Hashable, Sendable {
  var head = 512 << 10
  var tail = 256 << 10
  /// What their index may take up, which is sparse.
  var index = 64 << 10

  /// What the files of a version that has only these may take up.
  var most: Int { head + tail + index }

  func blocks(in layout: BlockLayout) -> BlockSet {
    var blocks = BlockSet(layout.blocks(touching: 0..<min(head, layout.length)))
    blocks.insert(layout.blocks(touching: max(0, layout.length - tail)..<layout.length))
    return blocks
  }
}
