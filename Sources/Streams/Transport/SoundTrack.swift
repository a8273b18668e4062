/// Takes the frames of coded sound out of PES packets, or out of a packed file.
struct SoundTrack {
  private let codec: SoundFrame.Codec
  /// The sound as the film describes it, or as the first frame does if no film is known.
  private var expected: SoundConfiguration?
  /// The number of frames in a row with another configuration.
  private var strange = 0
  private(set) var first: SoundFrame?
  private var frames: [Frame] = []
  /// Bytes of a frame that goes on in the next packet.
  private var rest: [UInt8] = []
  /// Bytes that were passed over, because no frame of the sound has them.
  private var passedOver = 0
  /// The time of the next frame that begins in `rest`, and the rate by which it was counted.
  private var clock = Clock(start: 0)
  /// A time that no frame has taken yet, and the first place in `rest` of the frame that takes it.
  private var waiting: (time: Int, border: Int)?
  /// False while the frames so far wait for the first known time.
  private(set) var isTimed = false
  /// Bytes that were passed over and are no stuffing.
  private(set) var lost = 0
  /// The frames that belong to the last one, and those that belonged to the one before it.
  private var dependent = (before: 0, last: 0)

  private struct Frame {
    var time: Int
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

  /// Whether a frame has begun, and its end was not seen. If frames belonged to the one before, some
  /// belong to the last.
  var isOpen: Bool { !rest.isEmpty || dependent.last < dependent.before }

  /// Bytes of that frame, without stuffing.
  var open: Int { rest.count { $0 != 0 } }

  /// - Parameter time: the time of the first frame that begins in `bytes`; nil to count on.
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
        // If bytes come in pieces, those behind the frame may not be there yet.
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
    // A frame that begins at the end of this packet has its time.
    if place >= border, let next {
      set(next)
      waiting = nil
    } else {
      waiting = next.map { ($0, border - place) }
    }
  }

  /// Sets the time of the next frame. Frames before the first known time count back from it.
  private mutating func set(_ time: Int) {
    if !isTimed {
      isTimed = true
      for number in frames.indices { frames[number].time += time - clock.time }
    }
    clock = Clock(start: time)
  }

  /// Sets the time of the first frame, if no frame behind it has one.
  mutating func begin(at time: Int) {
    guard !isTimed, let first = frames.first else { return }
    set(clock.time + time - first.time)
  }

  /// The frames that were not returned yet.
  var count: Int { frames.count }

  /// Forgets the frames behind the first `count`, and the begun one.
  mutating func keep(_ count: Int) {
    frames.removeLast(max(0, frames.count - count))
    rest = []
  }

  /// Counts bytes that no frame of the sound has.
  private mutating func pass(_ bytes: ArraySlice<UInt8>) {
    passedOver += bytes.count
    lost += bytes.count { $0 != 0 }
  }

  /// Ends the sound: no more bytes come. A frame that ends with them is whole.
  ///
  /// - Throws: `unsupported` if they are a frame of another configuration, and so was the one
  ///   before it; `malformed` if frames have come, and none of their packets had a time.
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

  /// Bytes that are in no frame, if nothing more comes.
  var unclaimed: Int { passedOver + rest.count }

  /// Returns the number of bytes to skip at a head of another configuration. In damaged bytes the
  /// head may be no head at all. It is one if the frame ends where another such frame begins, or
  /// where its packet ends. Two such frames in a row mean that the sound has changed.
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

  /// Returns the frames that are certain, and forgets them: the next one may belong to the last.
  mutating func takeWhole() -> [MediaSample] {
    guard isTimed, let last = frames.popLast() else { return [] }
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
