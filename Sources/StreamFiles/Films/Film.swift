import Blocks
package import Streams

/// A stream that can be read: its layout, and the places of its bytes.
package struct Film: Sendable {
  package let layout: StreamLayout
  /// The resources, numbered as in the layout.
  let resources: [PiecePlace]
  /// The keys, numbered as in the layout.
  let keys: [[UInt8]]
  package let source: StreamSource
  /// The beginnings of fragments that were read to learn the layout, by their slots.
  var beginnings: [Int: FragmentBeginning] = [:]
  /// The versions of the resources that the layout was read from.
  var seen: [Int: Representation] = [:]

  /// The parts of the addresses before the path. A film may have thousands of addresses, and they lie on a
  /// few hosts.
  package var starts: Set<Substring> {
    Set(
      resources.map { place in
        let host = place.address.utf8.dropFirst("https://".utf8.count)
        return place.address[..<(host.firstIndex(of: UInt8(ascii: "/")) ?? host.endIndex)]
      })
  }
}

/// The first bytes of a fragment, as they lie in its resource.
struct FragmentBeginning: Sendable {
  let bytes: [UInt8]
  /// The version of the resource.
  let version: Representation
}

extension StreamLayout {
  /// Whether the files of a strand have tracks that no strand takes.
  var leavesTracksOut: Bool {
    strands.indices.contains { strand in
      guard !strands[strand].isAll else { return false }
      // The other kind may be in a strand of its own.
      return [true, false].allSatisfy { isVideo in
        let taken = tracks.filter { $0.description.isVideo == isVideo }.map(\.strand)
        return taken.isEmpty || taken.contains(strand)
      }
    }
  }

  /// Returns the beginning of the first segment of a strand that was read, with its slot. Nil if none
  /// was, or if it is not read as it lies in its resource.
  func beginning(
    ofStrand strand: Int, _ facts: [SegmentFacts]
  ) -> (slot: Int, beginning: FragmentBeginning)? {
    let slots = fragments.indices.lazy.filter { fragments[$0].strand == strand }
    guard let (slot, fact) = zip(slots, facts).first(where: { !$1.beginning.isEmpty }),
      let version = fact.version
    else { return nil }
    return (slot, FragmentBeginning(bytes: fact.beginning, version: version))
  }
}

extension StreamSource {
  /// The places of the resources, numbered as `layout` numbers them.
  func resources(in layout: StreamLayout) -> [PiecePlace] {
    var places: [PiecePlace] = []
    for (number, track) in tracks.enumerated() {
      // A layout counts the resources of a strand up to the last one that has a fragment.
      let own = layout.fragments.lazy.filter { $0.strand == number }.map(\.resource)
      let count = (own.max() ?? places.count) - places.count + 1
      places += track.addresses.prefix(count).map {
        PiecePlace(address: $0, headers: track.headers)
      }
    }
    return places
  }

  /// Whether a layout that was made before may be of this stream. The check of each answer makes it
  /// certain.
  func mayHave(_ layout: StreamLayout) -> Bool {
    guard tracks.count == layout.strands.count else { return false }
    let count = (layout.fragments.map(\.resource).max() ?? 0) + 1
    guard resources(in: layout).count == count else { return false }
    for (number, track) in tracks.enumerated() where !track.segments.isEmpty {
      let fragments = layout.fragments.filter { $0.strand == number }
      // One file is divided by its own index, if it has one.
      if track.isOneFile { continue }
      let isCounted =
        fragments.count == track.segments.count
        || track.oneMore != nil && fragments.count == track.segments.count + 1
      guard isCounted else { return false }
      for (fragment, segment) in zip(fragments, track.segments) where !track.hasNominalDurations {
        guard fragment.duration == segment.duration.nanoseconds else { return false }
        if let bytes = segment.part.bytes, !fragment.isGap, bytes != fragment.bytes { return false }
      }
    }
    return true
  }
}

extension TrackSource {
  /// Whether the track is one file of MP4, whose segments lie behind each other.
  var isOneFile: Bool {
    guard sections.count <= 1, keys.isEmpty, let first = segments.first
    else { return false }
    let isPlain = segments.allSatisfy {
      $0.part.bytes != nil && $0.part.address == first.part.address && !$0.isGap
    }
    let isHeaded = initializations.count == 1 && initializations[0].address == first.part.address
    return isPlain && isHeaded
  }
}
