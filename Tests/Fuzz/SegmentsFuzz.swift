// Built with modules that a sanitizer watches: see fuzz.sh.

import Addresses
import Blocks

@testable import Streams

/// Checks for any transport stream that was cut anywhere that a film of it is right in itself: each slot
/// has its size, however its bytes come, and no more than the stream has is asked for.
///
/// The first byte tells the number of cuts, and the next ones their places, two bytes each.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let number = Int(first & 7)
  guard bytes.count > 1 + 2 * number else { return 0 }
  let stream = Array(bytes[(1 + 2 * number)...])
  let places = (0..<number).map { (cut: Int) -> Int in
    (Int(bytes[1 + 2 * cut]) << 8 | Int(bytes[2 + 2 * cut])) % stream.count
  }
  var segments: [[UInt8]] = []
  var place = 0
  for cut in places.sorted() + [stream.count] where cut > place {
    segments.append(Array(stream[place..<cut]))
    place = cut
  }
  for segment in segments.prefix(2) { look(at: segment) }
  try? make(segments, hasBreak: first & 8 != 0)
  return 0
}

/// Checks the values that are read out of the beginning of a segment.
private func look(at segment: [UInt8]) {
  if let phase = SegmentEdge.phase(of: segment[...]) {
    precondition((0..<SegmentEdge.packet).contains(phase), "a phase of \(phase) bytes")
  }
  if let beginning = try? SegmentBeginning(of: segment[...]) {
    precondition(beginning.begins(segment[...]), "a beginning is not its own")
    precondition(!beginning.begins(segment.prefix(beginning.count - 1)), "fewer bytes are enough")
  }
  if case .ends(let count) = SegmentDisguise(beginning: segment) {
    precondition(count > 0 && count < segment.count, "a picture longer than all")
    precondition(SegmentDisguise.without(segment).count == segment.count - count)
  }
}

/// Makes the film as a mount does, and reads all of it.
private func make(_ segments: [[UInt8]], hasBreak: Bool) throws {
  var lines = "#EXTM3U\n"
  for number in segments.indices {
    if hasBreak, number == segments.count / 2 { lines += "#EXT-X-DISCONTINUITY\n" }
    lines += "#EXTINF:2,\ns\(number).ts\n"
  }
  let list = Array((lines + "#EXT-X-ENDLIST\n").utf8)
  let track = try MediaPlaylist(list, at: "http://h.org/v").track
  let telling = Set(track.telling())
  var facts = segments.enumerated().map { number, bytes in
    let size = telling.contains(number) ? SegmentedPackets.beginning : SegmentEdge.size
    return SegmentFacts(
      bytes: 0..<bytes.count, beginning: Array(bytes.prefix(size)),
      hashed: try? SegmentBeginning(of: bytes.prefix(SegmentBeginning.size)))
  }
  func read(from number: Int) throws {
    var rounds = 0
    while let (segment, count) = try SegmentedPackets(track, facts).needs(from: number) {
      rounds += 1
      precondition(count <= segments[segment].count && rounds < 1000, "no end of requests")
      precondition(count > facts[segment].beginning.count, "the same bytes again")
      facts[segment].beginning = Array(segments[segment].prefix(count))
    }
  }
  for number in telling.sorted() { try read(from: number) }
  for number in try SegmentedPackets(track, facts).later() { try read(from: number) }
  for number in try SegmentedSamples(track, facts).unclear(facts) {
    facts[number].beginning = Array(segments[number].prefix(SegmentEdge.maxBytes))
  }
  let samples = try SegmentedSamples(track, facts)
  let index = try samples.index(facts, stamps: samples.stamps, keys: 0)
  let layout = try StreamRecipe(strands: [index], hash: SHA256.hash).layout()
  let stored = try layout.encoded(hash: SHA256.hash)
  let read = try? StreamLayout(encoded: stored, hash: SHA256.hash)
  precondition(read == layout, "another layout")
  for slot in layout.fragments.indices { check(layout, slot, segments) }
}

private func check(_ layout: StreamLayout, _ slot: Int, _ segments: [[UInt8]]) {
  guard layout.fragments[slot].slot < 1 << 22 else { return }
  let whole = slotBytes(layout, slot, segments, cut: .max)
  precondition(whole.map { $0.count == layout.fragments[slot].slot } ?? true, "another size")
  precondition(slotBytes(layout, slot, segments, cut: 211) == whole, "another slot if it is cut")
}

/// The bytes of a slot whose fragment comes in pieces; nil for a fault.
private func slotBytes(
  _ layout: StreamLayout, _ slot: Int, _ segments: [[UInt8]], cut: Int
) -> [UInt8]? {
  guard var composer = try? SlotComposer(layout, slot: slot, key: nil) else { return nil }
  var bytes: [UInt8] = []
  func add(_ made: [ArraySlice<UInt8>]?) -> Bool {
    bytes += (made ?? []).joined()
    return made != nil
  }
  var rest = segments[layout.fragments[slot].resource][...]
  while !rest.isEmpty {
    guard add(try? composer.take(rest.prefix(cut))) else { return nil }
    rest = rest.dropFirst(cut)
  }
  guard add(try? composer.endFragment()) else { return nil }
  var rounds = 0
  while let (next, range) = composer.needs {
    rounds += 1
    let own = segments[layout.fragments[next].resource]
    precondition(!range.isEmpty && range.upperBound <= own.count, "bytes outside a segment")
    precondition(rounds < 10_000, "no end of requests")
    guard add(try? composer.takeNeeded(own[range])) else { return nil }
  }
  guard add(try? composer.finish()) else { return nil }
  return bytes
}
