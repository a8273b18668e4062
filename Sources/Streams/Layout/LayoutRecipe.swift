/// The rules by which the bytes of a film are made.
///
/// Slots to which cues lead begin on a block of the cache, if the film has samples that were taken out of
/// packets. Those samples lie in clusters of a block. The hashes of the beginnings of segments belong to
/// a layout, so a film is another one if a segment begins with other bytes. Segments of transport
/// streams may be cut anywhere: a slot has all samples that begin in its segment, and takes what is
/// missing of them out of the segments behind it, and a time that those do not tell out of the ones
/// before.
enum LayoutRecipe {
  /// The number of the rules. It grows whenever any byte of a film would differ although its stream is
  /// the same. Layouts, identities and versions have it.
  static let number = 3

  /// The block of the cache. The bytes of films do not follow if that changes. It is also the size of a
  /// cluster of samples that were taken out of packets, if a slot has several.
  static let block = 64 << 10

  /// Bytes of slots behind a place on a block, before the next one is. What fills the slots is an eighth
  /// of them at most.
  static let leastAligned = 8 * block
}
