package import Blocks

/// The rules by which the bytes of a film are made.
///
/// A film keeps the rules by which it was made first, so that its cached bytes stay of use. The number
/// grows whenever any byte of a film would differ although its stream is the same.
package enum LayoutRecipe: Int, Sendable {
  /// A slot begins where the one before ends, and its samples are one cluster for each 32 s.
  case first = 1
  /// Slots to which cues lead begin on a block of the cache, and samples that were taken out of
  /// packets lie in clusters of a block. It is for films that have such samples; all others were made
  /// by the first recipe then.
  case second = 2
  /// A film is another one if a segment begins with other bytes: hashes of the beginnings belong to its
  /// layout. It is for all films. Segments of transport streams may be cut anywhere: a slot has all
  /// samples that begin in its segment, and takes what is missing of them out of the segments behind
  /// it, and a time that those do not tell out of the ones before. In all else it is the second recipe.
  case third = 3

  /// The recipe of films that were never read.
  package static let newest = third

  /// Whether hashes of the beginnings of segments belong to a layout.
  package var hasBeginnings: Bool { rawValue >= Self.third.rawValue }

  /// The block of the cache. Films do not follow if that changes.
  private static let block = 64 << 10

  /// Returns the recipe of a version that is a film; nil for others.
  package init?(of version: Representation) {
    guard case .entityTag(let tag) = version.validator, StreamLayout.isFilm(tag),
      let number = tag.dropFirst(2).split(separator: "-").first.flatMap({ Int($0) })
    else { return nil }
    self.init(rawValue: number)
  }

  /// Whether segments of transport streams may be cut anywhere, and a layout tells how each begins.
  package var tellsEdges: Bool { rawValue >= Self.third.rawValue }

  /// The places at which slots to which cues lead begin are multiples of this, in films that have
  /// samples in packets.
  package var alignment: Int { self == .first ? 1 : Self.block }

  /// Bytes of slots behind a place that was chosen so, before the next one is. What fills the slots
  /// is an eighth of them at most.
  package var leastAligned: Int { 8 * alignment }

  /// Bytes of a cluster of samples that were taken out of packets, if it has several.
  package var cluster: Int { self == .first ? .max : Self.block }
}
