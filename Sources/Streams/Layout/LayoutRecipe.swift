/// The rules by which the bytes of a film, the file of a stream, are made.
///
/// In a film of transport streams or packed audio, clusters have at most the size of a block of the
/// cache, unless a single sample is larger. A slot that a cue points to begins at the beginning of
/// a block, unless the last aligned slot is nearer than `minAligned`. A slot has all samples that
/// begin in its segment, wherever the segment is cut. If the segment lacks bytes of a sample, they
/// come from the following segments. If it lacks a time, the time comes from following or earlier
/// segments.
///
/// A layout contains hashes of the beginnings of segments. So the identity of the film changes if a
/// segment begins with other bytes.
enum LayoutRecipe {
  /// The number of these rules. It must grow if a change of the rules changes any byte of the film
  /// of any stream. Layouts, identities and versions contain it.
  static let number = 3

  /// The size of a cache block in these rules, in bytes. It does not follow the cache if the cache
  /// changes its blocks, so that films stay the same. It is also the limit for clusters of samples
  /// from transport streams and packed audio.
  static let block = 64 << 10

  /// The least distance between slots that are aligned to blocks, in bytes. So alignment makes a
  /// film at most an eighth longer.
  static let minAligned = 8 * block
}
