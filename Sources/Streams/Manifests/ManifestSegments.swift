import Markup

/// The way in which a manifest divides a Representation: SegmentBase, SegmentList or
/// SegmentTemplate, with the attributes that it inherits from the levels above.
struct ManifestSegments {
  enum Kind: Hashable {
    case base, list, template
  }

  let kind: Kind
  /// The elements of the kind `kind`: at most one from each level, the innermost level first.
  private let levels: [XMLElement]

  /// Finds the kind that the innermost level uses, and all elements of that kind. Nil if no level
  /// has an element of any kind.
  ///
  /// - Parameter elements: Period, AdaptationSet and Representation.
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

  /// The value of an attribute at the innermost level that has it.
  subscript(_ name: String) -> String? {
    levels.lazy.compactMap { $0[name] }.first
  }

  func number(_ name: String) throws(StreamError) -> Int? {
    for level in levels {
      if let number = try level.number(name) { return number }
    }
    return nil
  }

  /// Returns a child element of the innermost level that has it.
  func child(_ name: String) -> XMLElement? {
    levels.lazy.compactMap { $0.first(name) }.first
  }

  /// The SegmentURL elements of the innermost level that has any.
  var addresses: [XMLElement] {
    levels.lazy.map { Array($0.all("segmenturl")) }.first { !$0.isEmpty } ?? []
  }

  /// Whether one of the elements is only a reference to another document (xlink:href).
  var isElsewhere: Bool { levels.contains { $0["href"] != nil } }

  /// The number of ticks per second; 1 if the manifest does not tell it.
  var timescale: Int {
    get throws(StreamError) {
      let scale = try number("timescale") ?? 1
      guard scale > 0, scale <= 1 << 40 else { throw .malformed("timescale in a manifest") }
      return scale
    }
  }
}
