/// Reads segments of packed audio: an ID3 tag with a time, and frames (RFC 8216 §3.4).
package enum PackedAudio {
  /// - Parameters:
  ///   - place: a time near the times of the segment, in ticks. If the segment tells no time, it
  ///     begins at `place`.
  ///   - tracks: the tracks of the stream's file; empty if they are not known yet. A sound with
  ///     another configuration is an error.
  package static func read(
    _ bytes: ArraySlice<UInt8>, near place: Int = 0, as tracks: [TrackDescription] = []
  ) throws(StreamError) -> DemuxedSegment {
    var rest = bytes
    var time: Int?
    while let tag = IdentificationTag(rest) {
      time = time ?? tag.time
      rest = rest.dropFirst(tag.length)
    }
    guard let codec = SoundFrame.codec(of: rest) else { throw .malformed("no packed audio") }
    let expected = tracks.lazy.compactMap(SoundConfiguration.init).first
    var track = SoundTrack(codec, expecting: expected)
    try track.take(rest, at: time.map { TimeStamp.unwrapped($0, near: place) } ?? place)
    try track.finish()
    var segment = DemuxedSegment()
    guard let frame = track.first else { throw .malformed("no packed audio") }
    segment.add(frame.description, track.samples(track: 0))
    segment.unclaimed = track.unclaimed
    return segment
  }
}

/// An ID3 tag, of which only the time is read (ID3v2.4 §3).
struct IdentificationTag {
  /// The size of the tag in bytes.
  let length: Int
  /// The time of the first frame after the tag (33 bits); nil if the tag has no time.
  let time: Int?

  /// Reads the tag at the beginning of `bytes`; nil if there is none.
  init?(_ bytes: ArraySlice<UInt8>) {
    let head = Array(bytes.prefix(10))
    guard head.count == 10, head.starts(with: "ID3".utf8) else { return nil }
    let size = Self.size(head[6...])
    let hasFooter = head[5] & 0x10 != 0
    length = 10 + size + (hasFooter ? 10 : 0)
    guard length <= bytes.count else { return nil }
    time = Self.time(in: bytes.dropFirst(10).prefix(size))
  }

  private static func size(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.prefix(4).reduce(0) { $0 << 7 | Int($1 & 0x7F) }
  }

  private static let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)

  private static func time(in frames: ArraySlice<UInt8>) -> Int? {
    var rest = frames
    while rest.count > 10 {
      let head = Array(rest.prefix(10))
      let length = size(head[4...])
      let content = rest.dropFirst(10).prefix(length)
      if head.starts(with: "PRIV".utf8), content.starts(with: owner) {
        let number = content.dropFirst(owner.count).prefix(8)
        guard number.count == 8 else { return nil }
        return number.reduce(0) { $0 << 8 & (TimeStamp.range - 1) | Int($1) }
      }
      rest = rest.dropFirst(10 + length)
    }
    return nil
  }
}
