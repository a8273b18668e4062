/// The rules by which the bytes of a film are made.
///
/// A slot that a cue points to begins on a block of the cache, if the film has samples that were
/// taken out of packets. Those samples lie in clusters of a block. The hashes of the beginnings of
/// segments belong to a layout, so a film is another one if a segment begins with other bytes.
/// Segments of transport streams may be cut anywhere: a slot has all samples that begin in its
/// segment. Their missing bytes come from the segments behind it, and a missing time comes from the
/// segments before it.
enum LayoutRecipe {
  /// The number of the rules. It grows whenever any byte of a film would differ although its stream is
  /// the same. Layouts, identities and versions have it.
  static let number = 3

  /// The block of the cache when these rules were made: films stay the same if the cache changes
  /// it. It is also the size of a cluster of samples that were taken out of packets, if a slot has
  /// several.
  static let block = 64 << 10

  /// The fewest bytes of slots from one aligned slot to the next. So filling takes up an eighth of
  /// the film at most.
  static let minAligned = 8 * block
}
