// Built with modules that a sanitizer watches: see fuzz.sh.

import Addresses
import Blocks

@testable import Streams

/// Checks for any bytes in the place of a film's file, or of a kept layout, that their reader ends, and
/// that the slots of what it makes have their sizes.
///
/// The first byte chooses the reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let rest = Array(bytes.dropFirst())
  switch first & 3 {
  case 0: readFile(rest, segments: [])
  case 1: readFile(rest, segments: halves(of: rest.count))
  default: readLayout(rest)
  }
  return 0
}

/// Fragments as a playlist may name them, whether they are there or not.
private func halves(of count: Int) -> [StrandPlan.Segment] {
  let middle = count / 2
  return [count / 8..<middle, middle..<count].map {
    .init(bytes: $0, duration: 2 * MediaTime.second)
  }
}

/// Does with a file what a mount does.
private func readFile(_ bytes: [UInt8], segments: [StrandPlan.Segment]) {
  var plan = StrandPlan(length: bytes.count, segments: segments)
  var index: StrandIndex?
  for _ in 0..<1000 where index == nil {
    guard let step = try? plan.step() else { return }
    switch step {
    case .done(let found): index = found
    case .needs(let range):
      precondition(!range.isEmpty && range.upperBound <= bytes.count, "a range outside the file")
      plan.take(bytes[range], at: range.lowerBound)
    }
  }
  guard let index else { preconditionFailure("no end of requests") }
  let recipe = StreamRecipe(strands: [index], chapters: [], hash: SHA256.hash)
  guard let layout = try? recipe.layout() else { return }
  for slot in layout.fragments.indices.prefix(50) {
    let fragment = layout.fragments[slot]
    precondition(fragment.bytes.upperBound <= bytes.count, "a fragment outside its file")
    guard fragment.slot < 1 << 20 else { continue }
    check(layout, slot, bytes[fragment.bytes])
  }
  check(layout)
}

/// Makes a slot of what its map asks for, and of the whole fragment.
private func check(_ layout: StreamLayout, _ slot: Int, _ content: ArraySlice<UInt8>) {
  var map = ClusterMap(layout, slot: slot)
  var requests = 0
  while let range = map.needs {
    requests += 1
    precondition(requests < 1000, "no end of requests")
    let start = content.startIndex
    let part = content[start + range.lowerBound..<start + range.upperBound]
    guard (try? map.take(part, at: range.lowerBound)) != nil else { return }
  }
  guard let pieces = try? map.pieces() else { return }
  let size = pieces.reduce(0) { $0 + $1.count }
  precondition(size == layout.fragments[slot].slot, "a slot of another size")
  for case .range(let range) in pieces {
    precondition(range.upperBound <= content.count, "a sample outside its fragment")
  }
  var whole = ClusterMap(layout, slot: slot)
  guard (try? whole.take(content, at: 0)) != nil else { return }
  precondition((try? whole.pieces()) == pieces, "another slot of the whole fragment")
}

/// A layout that was stored is read as it was.
private func check(_ layout: StreamLayout) {
  guard let document = try? layout.encoded(hash: noHash) else { return }
  precondition((try? StreamLayout(encoded: document, hash: noHash)) == layout, "another layout")
}

/// Any bytes have this one, so that damaged layouts are read further than to their hash.
private func noHash(_ bytes: [UInt8]) -> [UInt8] {
  [UInt8](repeating: 0, count: StreamLayout.identitySize)
}

private func readLayout(_ bytes: [UInt8]) {
  guard let layout = try? StreamLayout(encoded: bytes, hash: noHash) else { return }
  check(layout)
}
