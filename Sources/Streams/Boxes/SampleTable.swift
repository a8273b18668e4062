/// The tables of a `trak` box that name samples outside of fragments (`stbl`).
enum SampleTable {
  /// Returns how many samples they name.
  ///
  /// A file that is all fragments has empty tables. Recorders write the first seconds of a film into
  /// them, and the rest into fragments (ISO/IEC 14496-12 §8.8).
  static func count(_ trak: Box) throws(StreamError) -> Int {
    guard let tables = try trak.first("mdia", "minf", "stbl") else { return 0 }
    var count = 0
    for box in try tables.children {
      var (_, _, cursor) = try box.full()
      switch box.type {
      case "stsz", "stz2":
        // A size, or its width, comes before the number.
        try cursor.skip(4)
        count = max(count, try cursor.word())
      case "stco", "co64": count = max(count, try cursor.word())
      default: break
      }
    }
    return count
  }
}

/// The kinds of contents that a file has besides its picture and its sound, each once.
struct HeadExtras {
  private(set) var words: [String] = []

  mutating func add(_ kind: String) {
    if !words.contains(kind) { words.append(kind) }
  }
}
