/// Limits for the playlists, manifests and subtitles of one stream (docs/internals/limits.md). A
/// document that exceeds a limit is refused, unless the limit's comment says otherwise.
package enum PlaylistLimits {
  /// The limit for the bytes of a playlist or manifest.
  package static let bytes = StreamLimit.playlist.value
  /// The limit for the bytes of one line, with its variables replaced.
  package static let line = 64 << 10
  /// The limit for the attributes of a tag. Further attributes are ignored.
  package static let attributes = 64
  /// The limit for the variables of a playlist.
  package static let variables = 1000
  /// The limit for the variants of a master playlist; also for its sounds and subtitles together.
  package static let variants = 1000
  /// The limit for the segments of a track. It allows a week of segments of six seconds.
  package static let segments = StreamLimit.segments.value
  /// The limit for the keys of a track; also for its initializations.
  package static let keys = 10_000
  /// The limit for the bytes of all addresses of a track together.
  package static let addressBytes = 64 << 20
  /// The limit for the bytes of a resource. No range is allowed to end beyond it.
  package static let resource = 1 << 46
  /// The limit for the duration of a segment; also for the duration of a whole stream.
  package static let duration: Duration = .seconds(7 * 86_400)
  /// The limit for the chapters of a stream. Further chapters are ignored.
  package static let chapters = 1000
  /// The limits for the elements of a manifest (`elements`), and for the levels of elements
  /// (`depth`).
  package static let elements = 400_000
  package static let depth = 32
  /// The limits for the periods of a manifest, and for the Representations of a period.
  package static let periods = 200
  package static let representations = 1000
  /// The limit for the playlists that are read one after the other until segments are known: a
  /// master playlist, then a media playlist.
  package static let hops = 2
  /// The limit for the subtitles of a stream that become sidecars. Further subtitles are ignored.
  package static let texts = 24
  /// The limit for the bytes of a segment of subtitles.
  package static let textSegment = 4 << 20
  /// The limits for the cues of a sidecar (`cues`), and for the bytes of their words (`cueBytes`).
  package static let cues = 100_000
  package static let cueBytes = 16 << 20
}
