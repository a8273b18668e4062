import Filling
import Streams

/// Makes one file of the subtitles that a stream has in segments.
package struct TextMerger: Sendable {
  let pieces: PieceClient

  package init(pieces: PieceClient) {
    self.pieces = pieces
  }

  /// The fragment of an address ("#ttml"). It says that the TTML document at the address is to be
  /// converted to WebVTT.
  private static let timedText = "ttml"

  /// Returns `url`, the address of a TTML document, with the fragment "#ttml". The fragment says
  /// that the document is to be converted to WebVTT.
  package static func converted(_ url: String) -> String {
    url.prefix { $0 != "#" } + "#" + timedText
  }

  /// Whether `document`, which came from `url`, must be converted into a file of subtitles.
  package static func takes(_ document: [UInt8], at url: String) -> Bool {
    StreamFinder.isPlaylist(document) || StreamFinder.isManifest(document)
      || StreamContainer(beginning: document) == .mp4 || url.hasSuffix("#" + timedText)
  }

  /// Returns one WebVTT file of the subtitles in a playlist, a manifest, an MP4 file or a TTML
  /// document. A missing segment is left out.
  ///
  /// - Parameters:
  ///   - document: the playlist, manifest, MP4 file or TTML document, which lies at `url`.
  ///   - name: the fragment of the address. It names the subtitles in a manifest, or marks a TTML
  ///     document. Nil if there is none.
  ///   - zero: the time stamp of the stream's beginning, in ticks of 90 kHz; nil if the times of
  ///     the subtitles count from the stream's beginning already, or if the time stamp is not
  ///     known.
  package func document(
    _ document: [UInt8], at url: String, name: String?, zero: Int?
  ) async throws -> [UInt8] {
    if StreamFinder.isPlaylist(document) {
      return try await self.document(MediaPlaylist(document, at: url).track, zero: zero)
    }
    if StreamContainer(beginning: document) == .mp4 {
      var merge = CueMerge(zero: zero)
      try merge.add(document, by: BoxedText(document))
      return Array(merge.document.utf8)
    }
    if name == Self.timedText {
      var merge = CueMerge(zero: zero)
      try merge.add(timedText: document)
      return Array(merge.document.utf8)
    }
    // The stream of these subtitles is known to have ended.
    let manifest = try Manifest(document, at: url, now: .max)
    guard let name, let track = try manifest.text(named: name) else {
      throw StreamError.malformed("a manifest without these subtitles")
    }
    return try await self.document(track, zero: zero)
  }

  private func document(_ track: TrackSource, zero: Int?) async throws -> [UInt8] {
    guard track.keys.isEmpty else { throw StreamError.unsupported("the subtitles are encrypted") }
    var merge = CueMerge(zero: zero)
    guard !track.segments.isEmpty else {
      // Without segments, the track is one file with all fragments in it.
      let file = try await bytes(of: StreamPart(address: 0), track)
      try merge.add(file, by: BoxedText(file))
      return Array(merge.document.utf8)
    }
    let segments = track.segments.filter { !$0.isGap }
    let texts = try await concurrently(segments, most: LayoutMaker.maxRequests) { segment in
      try await bytes(of: segment.part, track)
    }
    let head = track.initializations.first
    let boxed = try await head.asyncMap { try BoxedText(await bytes(of: $0, track)) }
    for (segment, text) in zip(segments, texts) where !text.isEmpty {
      if let boxed {
        try merge.add(text, by: boxed)
      } else if Self.isXML(text) {
        try merge.add(timedText: text)
      } else {
        try merge.add(text, at: segment.start)
      }
    }
    return Array(merge.document.utf8)
  }

  /// Whether a segment is an XML document, in any encoding.
  private static func isXML(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(64).first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF, 0xFE, 0xFF].contains($0) } == 0x3C
  }

  /// Returns the bytes of a part; no bytes if the server does not have the part.
  private func bytes(of part: StreamPart, _ track: TrackSource) async throws -> [UInt8] {
    let place = PiecePlace(address: track.addresses[part.address])
    do throws(PieceError) {
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
