/// Reads the tables of a `trak` box that describe samples outside of fragments (`stbl`).
enum SampleTable {
  /// Returns the number of samples in the tables.
  ///
  /// If all samples are in fragments, the tables are empty. Some recorders describe the first
  /// seconds of a film in the tables, and put only the rest into fragments (ISO/IEC 14496-12 §8.8).
  static func count(_ trak: Box) throws(StreamError) -> Int {
    guard let tables = try trak.first("mdia", "minf", "stbl") else { return 0 }
    var count = 0
    for box in try tables.children {
      var (_, _, cursor) = try box.full()
      switch box.type {
      case "stsz", "stz2":
        // The common size of samples, or the width of sizes, comes before the number of samples.
        try cursor.skip(4)
        count = max(count, try cursor.word())
      case "stco", "co64": count = max(count, try cursor.word())
      default: break
      }
    }
    return count
  }
}

/// The contents of a file besides its picture and its sound, in words for the user, without
/// repetition.
struct HeadExtras {
  private(set) var words: [String] = []

  mutating func add(_ kind: String) {
    if !words.contains(kind) { words.append(kind) }
  }
}
