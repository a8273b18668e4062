/// Finds the frames of coded sound in the payload of PES packets, or in packed audio.
struct SoundTrack {
  private let codec: SoundFrame.Codec
  /// The configuration that frames must have. It comes from the stream's file, or else from the
  /// first frame.
  private var expected: SoundConfiguration?
  /// How many frames in a row have had another configuration.
  private var strange = 0
  private(set) var first: SoundFrame?
  private var frames: [Frame] = []
  /// The bytes of a frame that is not complete yet.
  private var rest: [UInt8] = []
  /// The number of bytes that were skipped, because they are in no frame.
  private var passedOver = 0
  /// The time of the next frame, counted from the last known time.
  private var clock = Clock(start: 0)
  /// A time that no frame has yet. The first frame that begins at `border` in `rest`, or later,
  /// gets this time.
  private var waiting: (time: Int, border: Int)?
  /// False until the first time is known. Frames that come earlier wait until then.
  private(set) var isTimed = false
  /// The number of bytes that were skipped and are not stuffing.
  private(set) var lost = 0
  /// How many dependent frames the last frame has (`last`), and how many the frame before it has
  /// (`before`).
  private var dependent = (before: 0, last: 0)

  private struct Frame {
    var time: Int
    let duration: Int
    var bytes: [UInt8]
  }

  /// A time that is counted in samples, so rounding errors do not add up.
  private struct Clock {
    let start: Int
    var samples = 0
    var rate = 0

    var time: Int { rate > 0 ? start + samples * TimeStamp.scale / rate : start }
  }

  /// - Parameter expected: the configuration of the sound in the stream's file; nil to use the
  ///   configuration of the first frame.
  init(_ codec: SoundFrame.Codec, expecting expected: SoundConfiguration? = nil) {
    self.codec = codec
    self.expected = expected
  }

  /// Whether the last frame can be incomplete: it has begun and not ended, or it has fewer
  /// dependent frames than the frame before it.
  var isOpen: Bool { !rest.isEmpty || dependent.last < dependent.before }

  /// The number of bytes of the frame that is not complete yet, without stuffing.
  var open: Int { rest.count { $0 != 0 } }

  /// - Parameter time: the time of the first frame that begins in `bytes`; nil if it follows from
  ///   the time of the frame before.
  mutating func take(_ bytes: ArraySlice<UInt8>, at time: Int?) throws(StreamError) {
    let before = rest.count
    let all = rest + bytes
    rest = []
    if let time { waiting = (time, before) }
    var next = waiting?.time
    let border = waiting?.border ?? before
    var place = 0
    while place < all.count {
      guard let frame = try SoundFrame.read(all[place...], as: codec) else {
        if all.count - place < SoundFrame.maxHeadBytes { break }
        let next = all[(place + 1)...].firstIndex(of: codec.sync) ?? all.count
        pass(all[place..<next])
        place = next
        continue
      }
      guard frame.length > 0, frame.length <= all.count - place else { break }
      if let known = expected, !frame.isDependent, !known.fits(frame.facts) {
        // The bytes after the frame are needed to judge it, so more bytes are awaited.
        if all.count - place - frame.length < SoundFrame.maxHeadBytes { break }
        let count = try passed(frame, all[place...], known)
        pass(all[place..<place + count])
        place += count
        continue
      }
      strange = 0
      if place >= border, let time = next {
        set(time)
        next = nil
      }
      append(frame, all[(place + frame.head)..<(place + frame.length)])
      place += frame.length
    }
    rest = Array(all[place...])
    // If the next frame begins after these bytes, it gets the time.
    if place >= border, let next {
      set(next)
      waiting = nil
    } else {
      waiting = next.map { ($0, border - place) }
    }
  }

  /// Sets the time of the next frame. If it is the first known time, the times of earlier frames
  /// are computed back from it.
  private mutating func set(_ time: Int) {
    if !isTimed {
      isTimed = true
      for number in frames.indices { frames[number].time += time - clock.time }
    }
    clock = Clock(start: time)
  }

  /// Sets the time of the first frame, unless a time is known already.
  mutating func begin(at time: Int) {
    guard !isTimed, let first = frames.first else { return }
    set(clock.time + time - first.time)
  }

  /// The number of frames that were not returned yet.
  var count: Int { frames.count }

  /// Keeps only the first `count` frames. An incomplete frame is removed too.
  mutating func keep(_ count: Int) {
    frames.removeLast(max(0, frames.count - count))
    rest = []
  }

  /// Counts bytes that are in no frame.
  private mutating func pass(_ bytes: ArraySlice<UInt8>) {
    passedOver += bytes.count
    lost += bytes.count { $0 != 0 }
  }

  /// Ends the sound: no more bytes come. A frame that ends with the bytes is complete.
  ///
  /// - Throws: `unsupported` if the remaining bytes are a frame of another configuration, and the
  ///   frame before it had another configuration too; `malformed` if no time is known for the
  ///   frames.
  mutating func finish() throws(StreamError) {
    if let known = expected, let frame = try SoundFrame.read(rest[...], as: codec),
      !frame.isDependent, frame.length <= rest.count, !known.fits(frame.facts)
    {
      let count = try passed(frame, rest[...], known)
      pass(rest[..<count])
      rest.removeFirst(count)
    }
    guard isTimed || frames.isEmpty else { throw .malformed("sound without times") }
  }

  /// The number of bytes that are in no frame, if no more bytes come.
  var unclaimed: Int { passedOver + rest.count }

  /// Returns the number of bytes to skip at a head with another configuration. In damaged bytes it
  /// is perhaps no real head. It is treated as real if its frame is followed by another frame with
  /// that configuration, or by the end of the bytes. Throws `unsupported` at the second such frame
  /// in a row, since the sound has changed.
  private mutating func passed(
    _ frame: SoundFrame, _ bytes: ArraySlice<UInt8>, _ known: SoundConfiguration
  ) throws(StreamError) -> Int {
    let behind = bytes.dropFirst(frame.length)
    let next = try SoundFrame.read(behind, as: codec)
    if let next, next.facts == frame.facts || next.isDependent {
      strange += 1
    } else if behind.count < SoundFrame.maxHeadBytes {
      strange += 1
    } else {
      return (bytes.dropFirst().firstIndex(of: codec.sync) ?? bytes.endIndex) - bytes.startIndex
    }
    guard strange < 2 else { throw .unsupported(known.words(for: frame.facts)) }
    return frame.length
  }

  private mutating func append(_ frame: SoundFrame, _ bytes: ArraySlice<UInt8>) {
    if frame.isDependent {
      dependent.last += 1
      if !frames.isEmpty { frames[frames.count - 1].bytes += bytes }
      return
    }
    dependent = (dependent.last, 0)
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

  /// Returns the frames that are certain, and removes them. The last frame stays, since a dependent
  /// frame can follow it.
  mutating func takeWhole() -> [MediaSample] {
    guard isTimed, let last = frames.popLast() else { return [] }
    defer { frames = [last] }
    return takeAll()
  }

  /// Returns all frames, and removes them.
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
