/// The content of a `sidx` box: size and duration of each subsegment after the box.
package struct SegmentIndex: Equatable, Sendable {
  package struct Reference: Equatable, Sendable {
    package let size: Int
    /// The duration in ticks of `timescale`.
    package let duration: Int
    /// True if the subsegment begins with another `sidx`, false if it is media.
    package let isIndex: Bool
    /// True if decoding can begin with the subsegment.
    package fileprivate(set) var isKey: Bool
  }

  package let track: Int
  package let timescale: Int
  /// The time of the first picture or sound, in ticks, before an edit list is applied.
  package let earliest: Int
  /// The number of bytes between the end of the box and the first subsegment.
  package let gap: Int
  package let references: [Reference]

  package init(_ box: Box) throws(StreamError) {
    try StreamLimit.index.check(box.body.count)
    var (version, _, cursor) = try box.full()
    track = try cursor.word()
    timescale = try cursor.word()
    guard timescale > 0 else { throw .malformed("sidx") }
    earliest = try cursor.number(version: version)
    gap = try cursor.number(version: version)
    try cursor.skip(2)
    let count = Int(try cursor.number(UInt16.self))
    var references: [Reference] = []
    references.reserveCapacity(count)
    for _ in 0..<count {
      let size = try cursor.word()
      let duration = try cursor.word()
      let isKey = try cursor.word() >> 31 == 1
      references.append(
        Reference(
          size: size & 0x7FFF_FFFF, duration: duration, isIndex: size >> 31 == 1, isKey: isKey))
    }
    // If no subsegment is marked as a key, the packager does not write marks. Then all subsegments
    // are treated as keys.
    if !references.contains(where: \.isKey) {
      for index in references.indices { references[index].isKey = true }
    }
    self.references = references
  }

  /// The size of all subsegments together, in bytes.
  package var size: Int {
    references.reduce(0) { $0 + $1.size }
  }
}
