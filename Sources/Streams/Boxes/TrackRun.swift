/// The `tfhd` box: values that apply to all samples of a track in one fragment.
struct TrackFragmentHeader {
  let track: Int
  /// The offset in the file from which the offsets of runs count; nil if the box has none.
  let base: Int?
  let isRelativeToMoof: Bool
  private let duration: Int?
  private let size: Int?
  private let flags: Int?

  init(_ box: Box) throws(StreamError) {
    var (_, bits, cursor) = try box.full()
    track = try cursor.word()
    base = bits & 0x1 != 0 ? try cursor.number(version: 1) : nil
    // A track of the stream's file has one sample description, so samples with a second description
    // could not be decoded.
    if bits & 0x2 != 0, try cursor.word() > 1 {
      throw .unsupported("the codec of the stream changes within the film")
    }
    duration = bits & 0x8 != 0 ? try cursor.word() : nil
    size = bits & 0x10 != 0 ? try cursor.word() : nil
    flags = bits & 0x20 != 0 ? try cursor.word() : nil
    isRelativeToMoof = bits & 0x2_0000 != 0
  }

  func values(over defaults: SampleDefaults) -> SampleDefaults {
    SampleDefaults(
      duration: duration ?? defaults.duration, size: size ?? defaults.size,
      flags: flags ?? defaults.flags)
  }
}

/// The `trun` box: samples whose bytes follow each other.
struct TrackRun {
  struct Entry {
    var size: Int
    var duration: Int
    var flags: Int
    var composition = 0
  }

  /// Where the samples begin, counted from the base; nil if they follow the samples of the previous
  /// run.
  let offset: Int?
  let entries: [Entry]

  /// - Parameter most: how many more samples the fragment is allowed to have.
  init(_ box: Box, _ values: SampleDefaults, most: Int) throws(StreamError) {
    var (_, bits, cursor) = try box.full()
    let count = try cursor.word()
    // A box can declare any number of samples without having bytes for them. So the number is
    // checked first.
    guard count <= most else { throw .tooLarge(StreamLimit.samples.rawValue) }
    offset = bits & 0x1 != 0 ? try cursor.signed(version: 0) : nil
    let first = bits & 0x4 != 0 ? try cursor.word() : nil
    var entries: [Entry] = []
    for index in 0..<count {
      var entry = Entry(size: values.size, duration: values.duration, flags: values.flags)
      if bits & 0x100 != 0 { entry.duration = try cursor.word() }
      if bits & 0x200 != 0 { entry.size = try cursor.word() }
      if bits & 0x400 != 0 {
        entry.flags = try cursor.word()
      } else if index == 0, let first {
        entry.flags = first
      }
      if bits & 0x800 != 0 {
        // In version 0 the number has no sign, but some packagers write negative numbers. A delay
        // of 2³¹ ticks does not occur, so the sign is always read.
        entry.composition = try cursor.signed(version: 0)
      }
      entries.append(entry)
    }
    self.entries = entries
  }
}
