package import Blocks

/// The file that a stream becomes: a head, then a slot for each fragment.
///
/// The head depends only on the layout. The bytes of a slot depend only on the layout and the
/// slot's fragment; with transport streams, also on neighbouring fragments. A layout contains no
/// addresses, hosts or entity tags. So no byte of the file depends on them, or on the order in
/// which the file is read.
package struct StreamLayout: Equatable, Sendable {
  package let strands: [LayoutStrand]
  package let tracks: [LayoutTrack]
  /// The fragments in the order of their slots.
  package let fragments: [LayoutFragment]
  /// Nanoseconds that are subtracted from the time of each sample, so that the file begins at time
  /// 0.
  package let zero: Int
  /// The duration of the file in nanoseconds.
  package let duration: Int
  package let head: [UInt8]
  /// A hash of everything that the bytes of the file depend on.
  package let identity: [UInt8]
  /// The offset of each slot in the file, and the end of the last slot.
  package let places: [Int]

  /// The size of an identity in bytes.
  package static let identitySize = 32

  /// - Throws: `malformed` or `tooLarge` unless all parts fit together.
  package init(
    strands: [LayoutStrand], tracks: [LayoutTrack],
    fragments: [LayoutFragment], zero: Int, duration: Int, head: [UInt8], identity: [UInt8]
  ) throws(StreamError) {
    try Self.check(strands: strands, tracks: tracks)
    guard !fragments.isEmpty, duration >= 0, identity.count == Self.identitySize else {
      throw .malformed("layout")
    }
    try StreamLimit.segments.check(fragments.count)
    var places = [head.count]
    places.reserveCapacity(fragments.count + 1)
    for fragment in fragments {
      try Self.check(fragment, strands: strands)
      places.append(try MediaTime.sum(places[places.count - 1], fragment.slot))
    }
    self.strands = strands
    self.tracks = tracks
    self.fragments = fragments
    self.zero = zero
    self.duration = duration
    self.head = head
    self.identity = identity
    self.places = places
  }

  /// The size of the whole file in bytes.
  package var length: Int { places[places.count - 1] }

  /// The version of the file, as if an origin served it: its length and its validator.
  package var representation: Representation {
    let digits = identity.prefix(16).map { byte in
      let text = String(byte, radix: 16)
      return byte < 16 ? "0" + text : text
    }
    return Representation(
      length: length, validator: .entityTag("\"s\(LayoutRecipe.number)-\(digits.joined())\""))
  }

  /// Whether a version is the file of a stream (a film), made by any recipe.
  package static func isFilm(_ version: Representation) -> Bool {
    guard case .entityTag(let tag) = version.validator else { return false }
    return isFilm(tag)
  }

  /// Whether an entity tag, with its quotes, belongs to the file of a stream (a film).
  package static func isFilm(_ tag: String) -> Bool {
    guard tag.hasPrefix("\"s"), tag.hasSuffix("\""), tag.utf8.count > 2 else { return false }
    let parts = tag.dropFirst(2).dropLast().split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && Int(parts[0]) != nil && parts[1].utf8.count == 32
      && parts[1].allSatisfy(\.isHexDigit)
  }

  /// Returns the range of a slot in the file.
  package func bytes(ofSlot slot: Int) -> Range<Int> {
    places[slot]..<places[slot + 1]
  }

  /// Returns the slots that contain at least one byte of `range`.
  package func slots(touching range: Range<Int>) -> Range<Int> {
    let first = slot(at: max(range.lowerBound, head.count))
    guard range.upperBound > head.count, !range.isEmpty else { return first..<first }
    return first..<min(fragments.count, slot(at: min(range.upperBound, length) - 1) + 1)
  }

  /// Returns the slot that contains the byte at `place`; the number of slots if `place` is beyond
  /// the end of the file. `place` must not be in the head.
  private func slot(at place: Int) -> Int {
    var range = 0..<places.count
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range =
        places[middle] <= place
        ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  private static func check(
    strands: [LayoutStrand], tracks: [LayoutTrack]
  ) throws(StreamError) {
    guard !tracks.isEmpty else { throw .malformed("layout") }
    try StreamLimit.tracks.check(tracks.count)
    try StreamLimit.tracks.check(strands.count)
    for track in tracks {
      guard strands.indices.contains(track.strand), track.description.timescale > 0 else {
        throw .malformed("layout")
      }
    }
  }

  private static func check(_ fragment: LayoutFragment, strands: [LayoutStrand]) throws(StreamError)
  {
    try StreamLimit.slot.check(fragment.slot)
    guard strands.indices.contains(fragment.strand), fragment.resource >= 0,
      strands[fragment.strand].sections.indices.contains(fragment.section),
      fragment.bytes.lowerBound >= 0, fragment.duration >= 0,
      !fragment.start.addingReportingOverflow(fragment.duration).overflow,
      fragment.slot != 1, fragment.key?.vector.count ?? 16 == 16, fragment.key?.number ?? 0 >= 0
    else { throw .malformed("layout") }
  }
}
