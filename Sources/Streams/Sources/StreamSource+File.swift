extension StreamSource {
  /// Makes the source of a file with picture and sound, which is divided by its own index or by the
  /// heads of its fragments.
  package init(file address: String) {
    var track = TrackSource(.both, in: .mp4, division: .file(index: nil, length: nil))
    track.addresses = [address]
    track.isPlainFile = true
    self.init(tracks: [track], reason: "a fragmented MP4 file", choice: "")
  }
}
