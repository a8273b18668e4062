import Markup

/// The way in which a manifest divides a representation: SegmentBase, SegmentList or
/// SegmentTemplate, with the attributes that the levels above give it.
struct ManifestSegments {
  enum Kind: Hashable {
    case base, list, template
  }

  let kind: Kind
  /// The element of each level, the innermost first.
  private let levels: [XMLElement]

  /// Finds the innermost kind, and all elements of that kind. Nil if the levels say nothing.
  ///
  /// - Parameter elements: period, adaptation set and representation.
  init?(in elements: [XMLElement]) {
    let names: [(String, Kind)] = [
      ("segmenttemplate", .template), ("segmentlist", .list), ("segmentbase", .base),
    ]
    for element in elements.reversed() {
      guard let (name, kind) = names.first(where: { element.has($0.0) }) else { continue }
      self.kind = kind
      levels = elements.reversed().compactMap { $0.first(name) }
      return
    }
    return nil
  }

  /// An attribute of the innermost level that has it.
  subscript(_ name: String) -> String? {
    levels.lazy.compactMap { $0[name] }.first
  }

  func number(_ name: String) throws(StreamError) -> Int? {
    for level in levels {
      if let number = try level.number(name) { return number }
    }
    return nil
  }

  /// The child of the innermost level that has it.
  func child(_ name: String) -> XMLElement? {
    levels.lazy.compactMap { $0.first(name) }.first
  }

  /// The innermost list of addresses.
  var addresses: [XMLElement] {
    levels.lazy.map { Array($0.all("segmenturl")) }.first { !$0.isEmpty } ?? []
  }

  /// Whether a part of the manifest lies elsewhere.
  var isElsewhere: Bool { levels.contains { $0["href"] != nil } }

  /// Ticks a second.
  var timescale: Int {
    get throws(StreamError) {
      let scale = try number("timescale") ?? 1
      guard scale > 0, scale <= 1 << 40 else { throw .malformed("timescale in a manifest") }
      return scale
    }
  }
}
