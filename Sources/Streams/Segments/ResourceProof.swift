package import Blocks

/// Decides whether the bytes of one resource belong to the version from which the layout was made.
///
/// Only bytes distinguish versions. If the bytes of one answer were compared, every answer with the
/// same entity tag has the same bytes. An unknown tag tells nothing, since each server behind an
/// address can have its own tags.
package struct ResourceProof: Equatable, Sendable {
  /// A range of the resource whose bytes have a known hash.
  package struct Sample: Equatable, Sendable {
    package let range: Range<Int>
    package let beginning: SegmentBeginning

    fileprivate init(at place: Int, _ beginning: SegmentBeginning) {
      range = place..<place + beginning.count
      self.beginning = beginning
    }
  }

  package enum Step: Equatable, Sendable {
    /// The answer's bytes can be used without a comparison.
    case take
    /// The answer contains the bytes of this sample. They must be compared before any byte of the
    /// answer is used.
    case compare(Sample)
    /// The bytes of these samples must be requested and compared before any byte of the answer is
    /// used.
    case ask([Sample])
  }

  /// The greatest distance in bytes between the beginning of an answer and a sample in it that is
  /// compared. The bytes before the sample wait for the comparison.
  private static let nearby = 16 << 10
  /// How many versions of a resource are remembered.
  private static let maxVersions = 16
  /// How many beginnings of answers are remembered, besides the beginnings in the layout.
  private static let maxNoted = 8

  private let samples: [Sample]
  private let hasSeveralFragments: Bool
  /// The beginnings of answers whose bytes were used.
  private var noted: [Sample] = []
  private var taken = 0
  /// The versions with an entity tag or a date whose bytes were compared.
  private var versions: Set<Representation> = []

  /// - Parameter samples: at least one, in the order of their ranges.
  fileprivate init(_ samples: [Sample], hasSeveralFragments: Bool) {
    self.samples = samples
    self.hasSeveralFragments = hasSeveralFragments
  }

  /// Returns what to do before the bytes of an answer are used.
  ///
  /// - Parameters:
  ///   - version: the version that the answer names.
  ///   - range: the range of the resource that the answer contains.
  package func step(for version: Representation, bringing range: Range<Int>) -> Step {
    let brought = samples.first {
      $0.range.lowerBound >= range.lowerBound && $0.range.upperBound <= range.upperBound
        && $0.range.lowerBound - range.lowerBound <= Self.nearby
    }
    if let brought { return .compare(brought) }
    if versions.contains(version) { return .take }
    let before = samples.last { $0.range.lowerBound <= range.lowerBound }
    var asked = [before ?? samples[0]]
    // Perhaps only a part of the resource has changed, so further places are compared.
    if let last = noted.last { asked.append(last) }
    if noted.count > 1 { asked.append(noted[taken % (noted.count - 1)]) }
    return .ask(asked)
  }

  /// Notes that a version has the bytes from which the layout was made.
  package mutating func compared(_ version: Representation) {
    // Without entity tag and date, versions of the same length look alike, so none is noted.
    guard version.validator != .none else { return }
    if versions.count >= Self.maxVersions { versions = [] }
    versions.insert(version)
  }

  /// Returns how many bytes at the beginning of `range` should be hashed for `note`; 0 if the hash
  /// would be of no use.
  package func noted(of range: Range<Int>) -> Int {
    hasSeveralFragments ? min(SegmentBeginning.maxBytes, range.count) : 0
  }

  /// Notes the beginning of an answer whose bytes were used. `place` is the offset of the beginning
  /// in the resource.
  package mutating func note(_ beginning: SegmentBeginning, at place: Int) {
    taken += 1
    if noted.count >= Self.maxNoted { noted.remove(at: taken % Self.maxNoted) }
    noted.append(Sample(at: place, beginning))
  }
}

extension StreamLayout {
  /// The proofs by the number of their resource, for each resource with a fragment whose beginning
  /// is known.
  package var proofs: [Int: ResourceProof] {
    var samples: [Int: [ResourceProof.Sample]] = [:]
    var counts: [Int: Int] = [:]
    for fragment in fragments where !fragment.isGap {
      counts[fragment.resource, default: 0] += 1
      guard let beginning = fragment.beginning else { continue }
      samples[fragment.resource, default: []].append(
        ResourceProof.Sample(at: fragment.bytes.lowerBound, beginning))
    }
    var proofs: [Int: ResourceProof] = [:]
    for (resource, all) in samples {
      proofs[resource] = ResourceProof(
        all.sorted { $0.range.lowerBound < $1.range.lowerBound },
        hasSeveralFragments: counts[resource] ?? 0 > 1)
    }
    return proofs
  }
}
