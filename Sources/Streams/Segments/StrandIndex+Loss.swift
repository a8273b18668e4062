extension StrandIndex {
  /// Throws `unsupported` if a file with only the first picture and the first sound would lack
  /// anything of the strand.
  package func checkThatNothingIsLost() throws(StreamError) {
    let all = lost + repeated(in: .both) + [balance.words].compactMap(\.self)
    if let first = all.first {
      throw .unsupported("a film made of this file would lack something: \(first)")
    }
  }

  /// Returns words for the pictures and sounds that the stream's file leaves out: all but the first
  /// of each kind in `contents`.
  package func repeated(in contents: TrackContents) -> [String] {
    var words: [String] = []
    for isVideo in [true, false] where contents.contains(isVideo ? .picture : .sound) {
      for track in tracks.filter({ $0.description.isVideo == isVideo }).dropFirst() {
        let language = track.description.language
        words.append(
          (isVideo ? "another picture" : "another sound")
            + (language == "und" ? "" : " (\(language))"))
      }
    }
    return words
  }
}
