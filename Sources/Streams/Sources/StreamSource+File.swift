extension StreamSource {
  /// Makes the source of one fragmented MP4 file with picture and sound. Its own index, or else the
  /// heads of its fragments, tell where the fragments are.
  package init(file address: String) {
    var track = TrackSource(.both, in: .mp4, division: .file(index: nil, length: nil))
    track.addresses = [address]
    track.isPlainFile = true
    self.init(tracks: [track], reason: "a fragmented MP4 file", choice: "")
  }
}
