/// Reads the tables of a `trak` box that describe samples outside of fragments (`stbl`).
enum SampleTable {
  /// Returns the number of samples in the tables.
  ///
  /// If all samples are in fragments, the tables are empty. Some recorders describe the first
  /// seconds of a recording in the tables, and put only the remaining samples into fragments
  /// (ISO/IEC 14496-12 §8.8).
  static func count(_ trak: Box) throws(StreamError) -> Int {
    guard let tables = try trak.first("mdia", "minf", "stbl") else { return 0 }
    var count = 0
    let counting: [BoxType] = ["stsz", "stz2", "stco", "co64"]
    for box in try tables.children where counting.contains(box.type) {
      var (_, _, cursor) = try box.full()
      // The common size of samples, or the width of sizes, comes before the number of samples.
      if box.type == "stsz" || box.type == "stz2" { try cursor.skip(4) }
      count = max(count, try cursor.word())
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
