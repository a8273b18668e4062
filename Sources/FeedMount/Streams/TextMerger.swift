import Streaming
import Streams

/// Makes one file of the subtitles that a stream has in segments.
struct TextMerger: Sendable {
  let pieces: PieceClient

  /// Returns the file. A segment that is missing is left out.
  ///
  /// - Parameters:
  ///   - playlist: the playlist of the segments, which lies at `url`.
  ///   - zero: the time stamp of the film's beginning, in ticks; nil if it is not known.
  func document(_ playlist: [UInt8], at url: String, zero: Int?) async throws -> [UInt8] {
    let track = try MediaPlaylist(playlist, at: url).track
    let segments = track.segments.filter { !$0.isGap && $0.part.key == nil }
    let texts = try await concurrently(segments, most: LayoutMaker.most) { segment in
      let place = PiecePlace(address: track.addresses[segment.part.address])
      do throws(StreamTrouble) {
        if let bytes = segment.part.bytes {
          return try await pieces.read(place, bytes, isMedia: false).bytes
        }
        return try await pieces.document(at: place, limit: PlaylistLimits.textSegment).bytes
      } catch {
        guard error.isMissing || error.end == .gone else { throw error }
        return []
      }
    }
    var merge = CueMerge(zero: zero)
    for (segment, text) in zip(segments, texts) where !text.isEmpty {
      try merge.add(text, at: segment.start)
    }
    return Array(merge.document.utf8)
  }
}
