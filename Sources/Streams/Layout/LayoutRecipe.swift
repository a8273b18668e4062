/// The rules by which the bytes of a film are made.
///
/// In a film of transport streams or packed audio, clusters have at most the size of a block of the
/// cache, unless a single sample is larger. Slots that cues point to begin on a block, unless the
/// last aligned slot is nearer than `minAligned`. A slot has all samples that begin in its segment,
/// wherever the segment is cut. Missing bytes of a sample come from the following segments, and a
/// missing time from following or earlier ones.
///
/// A layout contains hashes of the beginnings of segments. So a film becomes another one if a
/// segment begins with other bytes.
enum LayoutRecipe {
  /// The number of the rules. It must grow if a change makes any byte of a film differ for the same
  /// stream. Layouts, identities and versions contain it.
  static let number = 3

  /// The size of a cache block in these rules, in bytes. If the cache changes its own, films still
  /// stay the same. It is also the limit for clusters of samples from packets.
  static let block = 64 << 10

  /// The least distance between slots that are aligned to blocks, in bytes. So the filling takes at
  /// most an eighth of the film.
  static let minAligned = 8 * block
}
