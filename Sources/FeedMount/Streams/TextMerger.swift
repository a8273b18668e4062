import FeedReading
import Streaming
import Streams

/// Makes one file of the subtitles that a stream has in segments.
struct TextMerger: Sendable {
  let pieces: PieceClient

  /// Returns the file of a playlist of subtitles, or of those that a manifest has by the name behind
  /// the "#" of its address. A segment that is missing is left out.
  ///
  /// - Parameters:
  ///   - document: the playlist or manifest, which lies at `url`.
  ///   - name: the name of the subtitles in a manifest.
  ///   - zero: the time stamp of the film's beginning, in ticks; nil if it is not known.
  func document(
    _ document: [UInt8], at url: String, name: String?, zero: Int?
  ) async throws -> [UInt8] {
    if StreamFinder.isPlaylist(document) {
      return try await self.document(MediaPlaylist(document, at: url).track, zero: zero)
    }
    let manifest = try Manifest(XMLElements.root(of: document), at: url)
    guard let name, let track = try manifest.text(named: name) else {
      throw StreamFault.malformed("a manifest without these subtitles")
    }
    return try await self.document(track, zero: zero)
  }

  private func document(_ track: TrackSource, zero: Int?) async throws -> [UInt8] {
    guard track.keys.isEmpty else { throw StreamFault.unsupported("its subtitles are encrypted") }
    var merge = CueMerge(zero: zero)
    guard !track.segments.isEmpty else {
      // A whole file with all fragments.
      let file = try await bytes(of: StreamPart(address: 0), track)
      try merge.add(file, by: BoxedText(file))
      return Array(merge.document.utf8)
    }
    let segments = track.segments.filter { !$0.isGap }
    let texts = try await concurrently(segments, most: LayoutMaker.most) { segment in
      try await bytes(of: segment.part, track)
    }
    let head = track.initializations.first
    let boxed = try await head.asyncMap { try BoxedText(await bytes(of: $0, track)) }
    for (segment, text) in zip(segments, texts) where !text.isEmpty {
      if let boxed {
        try merge.add(text, by: boxed)
      } else {
        try merge.add(text, at: segment.start)
      }
    }
    return Array(merge.document.utf8)
  }

  /// Returns the bytes of a part; none if it is missing.
  private func bytes(of part: StreamPart, _ track: TrackSource) async throws -> [UInt8] {
    let place = PiecePlace(address: track.addresses[part.address])
    do throws(StreamTrouble) {
      if let bytes = part.bytes {
        return try await pieces.read(place, bytes, isMedia: false).bytes
      }
      return try await pieces.document(at: place, limit: PlaylistLimits.textSegment).bytes
    } catch {
      guard error.isMissing || error.end == .gone else { throw error }
      return []
    }
  }
}

extension Optional {
  fileprivate func asyncMap<Result>(
    _ body: (Wrapped) async throws -> Result
  ) async rethrows -> Result? {
    guard let self else { return nil }
    return try await body(self)
  }
}
