/// Finds the `moof` boxes of a fragment without reading its media.
struct FragmentWalk {
  /// The size of the fragment in bytes.
  let size: Int
  /// The `moof` boxes that were found: their offset in the fragment, and their content.
  private(set) var moofs: [(place: Int, body: ArraySlice<UInt8>)] = []
  /// The ranges of the contents of `mdat` boxes in the fragment.
  private(set) var media: [Range<Int>] = []
  private var place = 0
  private var passed = 0
  private var wanted: Int?
  /// How many bytes are requested if nothing is known of the next box.
  private var guess = 16 << 10

  init(size: Int) {
    self.size = size
  }

  /// The range of the fragment that `take` must get next; nil at the end of the fragment.
  var needs: Range<Int>? {
    place < size ? place..<min(size, place + max(wanted ?? guess, BoxHeader.maxBytes)) : nil
  }

  /// Receives bytes of the fragment that begin at `offset`.
  mutating func take(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(StreamError) {
    while place < size, place >= offset, place - offset < bytes.count {
      let rest = bytes.dropFirst(place - offset)
      let left = size - place
      // Encryption makes a fragment a few bytes longer. These bytes are no box.
      if left < 8 {
        place = size
        return
      }
      guard rest.count >= min(BoxHeader.maxBytes, left) else { return }
      let header = try BoxHeader(rest, left: left)
      passed += 1
      try StreamLimit.boxes.check(passed)
      guard header.size <= left else {
        // The range in a playlist can lack the last bytes of a fragment. `MovieFragment` checks
        // whether all samples are inside.
        guard header.type != "moof" else { throw .truncated("moof") }
        note(header, to: size)
        place = size
        return
      }
      if header.type == "moof" {
        try StreamLimit.movieFragment.check(header.size)
        guard rest.count >= header.size else {
          wanted = header.size
          passed -= 1
          return
        }
        wanted = nil
        guess = header.size + header.size / 4 + 64
        moofs.append((place, rest.prefix(header.size).dropFirst(header.headerSize)))
      }
      note(header, to: place + header.size)
      place += header.size
    }
  }

  /// Adds the range of the box's content to `media` if the box is an `mdat`. `end` is the end of
  /// the box.
  private mutating func note(_ header: BoxHeader, to end: Int) {
    let start = place + header.headerSize
    if header.type == "mdat", start < end { media.append(start..<end) }
  }
}
