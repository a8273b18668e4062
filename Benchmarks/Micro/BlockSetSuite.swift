import Blocks

/// Queries of the bitmap of a 1 GiB file, as reads and fetches make them.
enum BlockSetSuite {
  private static let layout = BlockLayout(length: 1 << 30)

  /// A set without every seventh block.
  private static let holed: BlockSet = {
    var set = BlockSet(layout.all)
    for block in stride(from: 0, to: layout.count, by: 7) { set.remove(BlockIndex(block)) }
    return set
  }()

  static var benchmarks: [Benchmark] {
    let whole = BlockSet(layout.all)
    let read = layout.blocks(touching: 777 << 20..<(777 << 20) + 128 << 10)
    return [
      Benchmark("BlockSet: are the blocks of 128 KiB held") { kept(whole.contains(all: read)) },
      Benchmark("BlockSet: is a file of 1 GiB complete") { kept(whole.contains(all: layout.all)) },
      Benchmark("BlockSet: missing runs, 2,341 of them") { kept(holed.missing(in: layout.all)) },
      Benchmark("BlockSet: insert 8 MiB") {
        var set = holed
        set.insert(layout.blocks(touching: 0..<8 << 20))
        kept(set)
      },
    ]
  }
}
