import Blocks
import Filling

/// Decisions during reads: windows, fetches, and the waits that end.
enum FillStateSuite {
  static var benchmarks: [Benchmark] {
    let cachedBlocks = BlockSet(BlockLayout(length: 1 << 30).all)
    let complete = Playing(length: 1 << 30, cachedBlocks: cachedBlocks).state
    return [
      Benchmark("FillState: play 64 MiB in order") {
        var playing = Playing(length: 64 << 20)
        for start in stride(from: 0, to: 64 << 20, by: 128 << 10) {
          playing.read(start..<start + 128 << 10)
        }
        kept(playing.state.cachedBlocks)
      },
      Benchmark("FillState: 30 seeks in 1 GiB") {
        var playing = Playing(length: 1 << 30)
        for seek in 0..<30 {
          let start = seek * 7_919 % 1_000 << 20
          playing.read(start..<start + 256 << 10)
        }
        kept(playing.state.cachedBlocks)
      },
      Benchmark("FillState: are 128 KiB of a complete file held") {
        kept(complete.holds(900 << 20..<(900 << 20) + 128 << 10))
      },
    ]
  }
}

/// One reader of a file whose origin answers at once, in pieces of 16 KiB as libcurl delivers them.
private struct Playing {
  private(set) var state: FillState
  private let handle: FillState.HandleID
  private var queue: [FillState.Action] = []

  init(length: Int, cachedBlocks: BlockSet = BlockSet()) {
    state = FillState(layout: BlockLayout(length: length), cachedBlocks: cachedBlocks, seed: 1)
    handle = state.opened()
  }

  mutating func read(_ range: ByteRange) {
    queue += state.wants(range, by: handle, as: state.newWait(), since: .zero, at: .zero)
    while let action = queue.popLast() {
      if case .fetch(let fetch, let bytes, _) = action { serve(fetch, bytes) }
    }
  }

  private mutating func serve(_ fetch: FetchID, _ bytes: ByteRange) {
    guard let length = state.layout?.length else { return }
    let bytes = bytes.clamped(to: 0..<length)
    queue += state.began(fetch, bytes: bytes, whole: false, at: .zero)
    for start in stride(from: bytes.lowerBound, to: bytes.upperBound, by: 16 << 10) {
      let piece = start..<min(start + 16 << 10, bytes.upperBound)
      queue += state.arrived(piece, in: fetch, at: .zero)
    }
    queue += state.ended(fetch, .complete, at: .zero)
  }
}
