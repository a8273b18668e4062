/// Limits on what the documents of one stream may ask for (docs/internals/limits.md). A document that exceeds one is
/// refused.
package enum PlaylistLimits {
  /// The most bytes of a playlist or manifest.
  package static let bytes = StreamLimit.playlist.value
  /// The most bytes of one line, after its variables have got their values.
  package static let line = 64 << 10
  /// The most attributes of a tag. Further ones count as missing.
  package static let attributes = 64
  /// The most variables.
  package static let variables = 1000
  /// The most variants, and the most renditions, of a master playlist.
  package static let variants = 1000
  /// The most media segments of a track: a week of segments of six seconds.
  package static let segments = StreamLimit.segments.value
  /// The most keys and the most initializations of a track.
  package static let keys = 10_000
  /// The most bytes of all addresses of a track.
  package static let addressBytes = 64 << 20
  /// The most bytes of a resource. Places behind it are no places.
  package static let resource = 1 << 46
  /// The longest segment, and the longest film.
  package static let duration: Duration = .seconds(7 * 86_400)
  /// The most chapters.
  package static let chapters = 1000
  /// The most elements of a manifest, and the most levels of them.
  package static let elements = 400_000
  package static let depth = 32
  /// The most periods of a manifest, and the most representations of a period.
  package static let periods = 200
  package static let representations = 1000
  /// The most playlists on the way from an address to segments: a master playlist, a media playlist.
  package static let hops = 2
  /// The most subtitles of a stream that become sidecars.
  package static let texts = 24
  /// The most bytes of a segment of subtitles.
  package static let textSegment = 4 << 20
  /// The most cues of a sidecar, and the most bytes of their words.
  package static let cues = 100_000
  package static let cueBytes = 16 << 20
}
