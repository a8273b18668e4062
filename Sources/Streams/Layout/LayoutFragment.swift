/// One fragment of a stream, and the slot that is made of it.
package struct LayoutFragment: Equatable, Sendable {
  package var strand: Int
  /// The number of the resource that contains the fragment, in the order in which the stream names
  /// its resources.
  package var resource: Int
  /// The range of the fragment's bytes in its resource. The bytes are encrypted if the fragment has
  /// a key.
  package var bytes: Range<Int>
  /// The beginning of the fragment, in nanoseconds from the beginning of the stream's file.
  package var start: Int
  package var duration: Int
  /// The size of the slot in bytes.
  package var slot: Int
  /// True if the stream lacks the fragment. Then the slot has no samples.
  package var isGap = false
  /// The number of the fragment's section. Time stamps can start again with each section.
  package var section = 0
  package var key: FragmentKey?
  /// A hash of the first bytes of the fragment, as they are in the resource; nil if they were not
  /// read.
  package var beginning: SegmentBeginning?
  /// How the fragment begins, if it is a segment of a transport stream; else nil.
  package var edge: SegmentEdge?

  package var end: Int { start + duration }
}
