package import Blocks

/// Decides whether the bytes of one resource belong to the version that a layout was made from.
///
/// Only bytes distinguish versions. A known tag says that an answer has the same bytes as one that
/// was compared. An unknown tag says nothing, since each server behind an address may have its own.
package struct ResourceProof: Equatable, Sendable {
  /// The bytes at one place of the resource, as the layout knows them.
  package struct Sample: Equatable, Sendable {
    package let range: Range<Int>
    package let beginning: SegmentBeginning

    fileprivate init(at place: Int, _ beginning: SegmentBeginning) {
      range = place..<place + beginning.count
      self.beginning = beginning
    }
  }

  package enum Step: Equatable, Sendable {
    /// The answer's bytes may be taken.
    case take
    /// The answer brings the bytes of this sample. They are compared before one is taken.
    case compare(Sample)
    /// The bytes of these samples are asked for, and compared before one is taken.
    case ask([Sample])
  }

  /// Bytes of an answer before those of a sample that wait for the comparison.
  private static let nearby = 16 << 10
  /// The tags of a resource that are remembered.
  private static let maxVersions = 16
  /// Beginnings of answers that are remembered, beside those of the layout.
  private static let maxNoted = 8

  private let samples: [Sample]
  private let hasSeveralFragments: Bool
  /// The beginnings of answers that were taken.
  private var noted: [Sample] = []
  private var taken = 0
  /// The versions, with a tag or a date, whose bytes were compared.
  private var versions: Set<Representation> = []

  /// - Parameter samples: in the order of their places, one at least.
  fileprivate init(_ samples: [Sample], hasSeveralFragments: Bool) {
    self.samples = samples
    self.hasSeveralFragments = hasSeveralFragments
  }

  /// Returns the step to do before the bytes of an answer are taken.
  ///
  /// - Parameters:
  ///   - version: that of the answer.
  ///   - range: the bytes of the resource that it brings.
  package func step(for version: Representation, bringing range: Range<Int>) -> Step {
    let brought = samples.first {
      $0.range.lowerBound >= range.lowerBound && $0.range.upperBound <= range.upperBound
        && $0.range.lowerBound - range.lowerBound <= Self.nearby
    }
    if let brought { return .compare(brought) }
    if versions.contains(version) { return .take }
    let before = samples.last { $0.range.lowerBound <= range.lowerBound }
    var asked = [before ?? samples[0]]
    // Only a part of the resource may have changed.
    if let last = noted.last { asked.append(last) }
    if noted.count > 1 { asked.append(noted[taken % (noted.count - 1)]) }
    return .ask(asked)
  }

  /// Notes that the bytes of a version are those of the layout.
  package mutating func compared(_ version: Representation) {
    // Without a tag or a date, two versions of one length have the same description.
    guard version.validator != .none else { return }
    if versions.count >= Self.maxVersions { versions = [] }
    versions.insert(version)
  }

  /// The bytes at the beginning of an answer that `note` takes, counted from `range`'s beginning; 0 if
  /// none are of use.
  package func noted(of range: Range<Int>) -> Int {
    hasSeveralFragments ? min(SegmentBeginning.maxBytes, range.count) : 0
  }

  /// Notes the beginning of an answer whose bytes may be taken.
  package mutating func note(_ beginning: SegmentBeginning, at place: Int) {
    taken += 1
    if noted.count >= Self.maxNoted { noted.remove(at: taken % Self.maxNoted) }
    noted.append(Sample(at: place, beginning))
  }
}

extension StreamLayout {
  /// The proofs of the resources whose beginnings are known, by their numbers.
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
