import Blocks
package import Streams

/// A stream that can be read as one file: its layout, and the addresses and keys of its resources.
package struct Film: Sendable {
  package let layout: StreamLayout
  /// The addresses of the resources. The index is the resource's number in the layout.
  let resources: [PiecePlace]
  /// The keys that decrypt fragments. The index is the key's number in the layout.
  let keys: [[UInt8]]
  package let source: StreamSource
  /// By slot: the first bytes of the slot's fragment, if they were read while the layout was
  /// learned.
  var beginnings: [Int: FragmentBeginning] = [:]
  /// By resource: the version that the layout was learned from. A resource that was not read has no
  /// value.
  var seen: [Int: Representation] = [:]

  /// The scheme, host and port of every address, each only once: a stream can have thousands of
  /// addresses on a few hosts.
  package var starts: Set<Substring> {
    Set(
      resources.map { place in
        let host = place.address.utf8.dropFirst("https://".utf8.count)
        return place.address[..<(host.firstIndex(of: UInt8(ascii: "/")) ?? host.endIndex)]
      })
  }
}

/// The first bytes of a fragment, unchanged from the resource that has the fragment.
struct FragmentBeginning: Sendable {
  let bytes: [UInt8]
  /// The version of the resource that the bytes came from.
  let version: Representation
}

extension StreamLayout {
  /// Whether the files of a strand have tracks that the stream's file lacks.
  var leavesTracksOut: Bool {
    strands.indices.contains { strand in
      guard !strands[strand].isAll else { return false }
      // A picture or sound that another strand brings instead is not missing.
      return [true, false].allSatisfy { isVideo in
        let taken = tracks.filter { $0.description.isVideo == isVideo }.map(\.strand)
        return taken.isEmpty || taken.contains(strand)
      }
    }
  }

  /// Looks in a strand for the first segment of which bytes are known, and returns its slot and
  /// these bytes. Returns nil if there is no such segment, or if the segment is encrypted.
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
  /// Returns the addresses of the resources, in the order of the resources' numbers in `layout`.
  func resources(in layout: StreamLayout) -> [PiecePlace] {
    var places: [PiecePlace] = []
    for (number, track) in tracks.enumerated() {
      // A layout numbers a strand's resources only up to the last one that has a fragment. So later
      // addresses of the track are left out.
      let own = layout.fragments.lazy.filter { $0.strand == number }.map(\.resource)
      let count = (own.max() ?? places.count) - places.count + 1
      places += track.addresses.prefix(count).map {
        PiecePlace(address: $0, headers: track.headers)
      }
    }
    return places
  }

  /// Whether `layout`, which was made earlier, can belong to this stream. This is only a first
  /// check: later, each answer is checked against the layout.
  func mayHave(_ layout: StreamLayout) -> Bool {
    guard tracks.count == layout.strands.count else { return false }
    let count = (layout.fragments.map(\.resource).max() ?? 0) + 1
    guard resources(in: layout).count == count else { return false }
    for (number, track) in tracks.enumerated() where !track.segments.isEmpty {
      let fragments = layout.fragments.filter { $0.strand == number }
      // The fragments of a single file can come from the index inside the file. Then they differ
      // from the segments of the track.
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
  /// Whether the head and all segments of the track are ranges of one unencrypted file.
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
