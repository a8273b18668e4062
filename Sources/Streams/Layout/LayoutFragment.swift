/// One fragment of a stream, and the slot that is made of it.
package struct LayoutFragment: Equatable, Sendable {
  package var strand: Int
  /// The resource that holds the fragment, in the order in which the stream names its resources.
  package var resource: Int
  /// The place of the fragment's bytes in its resource; encrypted bytes, if it has a key.
  package var bytes: Range<Int>
  /// Nanoseconds from the beginning of the film.
  package var start: Int
  package var duration: Int
  /// Bytes of the slot.
  package var slot: Int
  /// True if the fragment is missing, and its slot says nothing.
  package var isGap = false
  /// The section of the stream, if its times start again there.
  package var section = 0
  package var key: FragmentKey?
  /// The first bytes of the fragment, encrypted ones if it has a key. Nil if they were not read.
  package var beginning: SegmentBeginning?
  /// How a segment of a transport stream begins, else nil.
  package var edge: SegmentEdge?

  package var end: Int { start + duration }
}
