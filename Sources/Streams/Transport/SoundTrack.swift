/// Takes the frames of coded sound out of PES packets, or out of a packed file.
struct SoundTrack {
  private let codec: SoundFrame.Codec
  /// The sound as the film describes it, or as the first frame does if no film is known.
  private var expected: SoundConfiguration?
  /// Frames in a row that are of another configuration.
  private var strange = 0
  private(set) var first: SoundFrame?
  private var frames: [Frame] = []
  /// Bytes of a frame that goes on in the next packet.
  private var rest: [UInt8] = []
  /// Bytes that were passed over, because no frame of the sound has them.
  private var passedOver = 0
  /// The time of the next frame that begins in `rest`, and the rate by which it was counted.
  private var clock = Clock(start: 0)

  private struct Frame {
    let time: Int
    let duration: Int
    var bytes: [UInt8]
  }

  /// A time that is counted in samples, so that rounding does not add up.
  private struct Clock {
    let start: Int
    var samples = 0
    var rate = 0

    var time: Int { rate > 0 ? start + samples * TimeStamp.scale / rate : start }
  }

  /// - Parameter expected: the sound as the film describes it; nil to take it from the first frame.
  init(_ codec: SoundFrame.Codec, expecting expected: SoundConfiguration? = nil) {
    self.codec = codec
    self.expected = expected
  }

  /// - Parameter time: the time of the first frame that begins in `bytes`; nil to count on.
  mutating func take(_ bytes: ArraySlice<UInt8>, at time: Int?) throws(StreamFault) {
    let before = rest.count
    let all = rest + bytes
    rest = []
    var next = time
    var place = 0
    while place < all.count {
      guard let frame = try SoundFrame.read(all[place...], as: codec) else {
        if all.count - place < SoundFrame.longestHead { break }
        let next = all[(place + 1)...].firstIndex(of: codec.sync) ?? all.count
        passedOver += next - place
        place = next
        continue
      }
      guard frame.length > 0, frame.length <= all.count - place else { break }
      if let known = expected, !frame.isDependent, !known.fits(frame.facts) {
        let count = try passed(frame, all[place...], known)
        passedOver += count
        place += count
        continue
      }
      strange = 0
      if place >= before, let time = next {
        clock = Clock(start: time)
        next = nil
      }
      append(frame, all[(place + frame.head)..<(place + frame.length)])
      place += frame.length
    }
    rest = Array(all[place...])
    // A frame that begins at the end of this packet has its time.
    if place >= before, let next { clock = Clock(start: next) }
  }

  /// Bytes that are in no frame, if nothing more comes.
  var unclaimed: Int { passedOver + rest.count }

  /// Returns the bytes that are passed over instead of a frame of another configuration. Its head may be
  /// none, where bytes are damaged. A frame that ends where such another begins, or its packet ends, is
  /// one; and two of them in a row are the sound.
  private mutating func passed(
    _ frame: SoundFrame, _ bytes: ArraySlice<UInt8>, _ known: SoundConfiguration
  ) throws(StreamFault) -> Int {
    let behind = bytes.dropFirst(frame.length)
    let next = try SoundFrame.read(behind, as: codec)
    if let next, next.facts == frame.facts || next.isDependent {
      strange += 1
    } else if behind.count < SoundFrame.longestHead {
      strange += 1
    } else {
      return (bytes.dropFirst().firstIndex(of: codec.sync) ?? bytes.endIndex) - bytes.startIndex
    }
    guard strange < 2 else { throw .unsupported(known.words(for: frame.facts)) }
    return frame.length
  }

  private mutating func append(_ frame: SoundFrame, _ bytes: ArraySlice<UInt8>) {
    if frame.isDependent {
      if !frames.isEmpty { frames[frames.count - 1].bytes += bytes }
      return
    }
    if first == nil { first = frame }
    expected = expected ?? frame.facts
    if clock.rate != frame.rate {
      clock = Clock(start: clock.time)
      clock.rate = frame.rate
    }
    let time = clock.time
    clock.samples += frame.samples
    frames.append(Frame(time: time, duration: clock.time - time, bytes: Array(bytes)))
  }

  /// Returns the frames that are certain, and forgets them: the next one may belong to the last.
  mutating func takeWhole() -> [MediaSample] {
    guard let last = frames.popLast() else { return [] }
    defer { frames = [last] }
    return takeAll()
  }

  /// Returns all frames, and forgets them.
  mutating func takeAll() -> [MediaSample] {
    defer { frames.removeAll() }
    return samples(track: 1)
  }

  func samples(track: Int) -> [MediaSample] {
    frames.map {
      MediaSample(
        track: track, time: $0.time, duration: $0.duration, isKey: true, bytes: $0.bytes[...])
    }
  }
}
