/// Limits for the playlists, manifests and subtitles of one stream (docs/internals/limits.md). A
/// document that exceeds a limit is refused, unless the limit's comment says otherwise.
package enum PlaylistLimits {
  /// Bytes of a playlist or manifest.
  package static let bytes = StreamLimit.playlist.value
  /// Bytes of one line, with its variables replaced.
  package static let line = 64 << 10
  /// Attributes of a tag. Further attributes are ignored.
  package static let attributes = 64
  /// Variables of a playlist.
  package static let variables = 1000
  /// Variants of a master playlist; also its sounds and subtitles together.
  package static let variants = 1000
  /// Segments of a track. The limit allows a week of segments of six seconds.
  package static let segments = StreamLimit.segments.value
  /// Keys of a track; also its initializations.
  package static let keys = 10_000
  /// Bytes of all addresses of a track together.
  package static let addressBytes = 64 << 20
  /// Bytes of a resource. A range is not allowed to end beyond them.
  package static let resource = 1 << 46
  /// The duration of a segment; also of a whole stream.
  package static let duration: Duration = .seconds(7 * 86_400)
  /// Chapters of a stream. Further chapters are ignored.
  package static let chapters = 1000
  /// Elements of a manifest, and levels of elements.
  package static let elements = 400_000
  package static let depth = 32
  /// Periods of a manifest, and Representations of a period.
  package static let periods = 200
  package static let representations = 1000
  /// Playlists that are read one after the other until segments are known: a master playlist, then
  /// a media playlist.
  package static let hops = 2
  /// Subtitles of a stream that become sidecars. Further subtitles are ignored.
  package static let texts = 24
  /// Bytes of a segment of subtitles.
  package static let textSegment = 4 << 20
  /// Cues of a sidecar, and the bytes of their words.
  package static let cues = 100_000
  package static let cueBytes = 16 << 20
}
