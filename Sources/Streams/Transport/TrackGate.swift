/// Finds the first sample of a track that belongs to a segment.
///
/// A segment can begin in the middle of a picture, a frame of sound or a PES packet. Bytes before
/// the first sample that begins in a PES packet of the segment belong to earlier segments. The
/// decision depends only on the segment's own bytes. So the slot of the segment and the slot before
/// it agree on which sample is the first.
struct TrackGate {
  enum Kind: Hashable {
    case picture(PictureCodec)
    case sound(SoundFrame.Codec)
  }

  /// The payload before the first sample, and the payload from the first sample on.
  struct Sides {
    var before: [Payload] = []
    var behind: [Payload] = []
  }

  private enum State { case closed, looking, open }

  /// How many frames of sound must follow each other, so that the first of them is accepted. At the
  /// beginning of the payload, two are enough.
  private static let chain = 3

  private let kind: Kind
  private var state = State.closed
  /// The payload from the first PES packet on, until the first sample is found.
  private var unread: [UInt8] = []
  /// The places in `unread` at which PES packets begin, with their times.
  private var packets: [(place: Int, stamp: PacketStamp?)] = []
  private var pieces: [Payload] = []
  /// The place in `unread` up to which the search has come.
  private var scanned = 0
  private var hasSlice = false
  /// The place of the last picture that cannot be the first sample: its packet has no times, or the
  /// picture is not the first in its packet.
  private var passed: Int?

  init(_ kind: Kind) {
    self.kind = kind
  }

  /// Whether the first sample was found.
  var isOpen: Bool { state == .open }

  /// The times of the first sample, from its PES packet.
  private(set) var stamp: PacketStamp?

  /// Receives the next payload, and returns the payload whose side is now known.
  mutating func take(_ payload: Payload) throws(StreamError) -> Sides {
    switch state {
    case .open: return Sides(behind: [payload])
    case .closed:
      guard payload.isStart, isTimed(payload) else { return Sides(before: [payload]) }
      state = .looking
    case .looking: break
    }
    if payload.isStart { packets.append((unread.count, payload.stamp)) }
    pieces.append(payload)
    unread += payload.bytes
    guard let place = try place(isAll: false) else { return Sides() }
    return open(at: place)
  }

  /// Ends the segment, and returns the payload that was not returned yet.
  mutating func finish() throws(StreamError) -> Sides {
    guard state == .looking else { return Sides() }
    if let place = try place(isAll: true) { return open(at: place) }
    defer { (state, unread, pieces, packets, scanned) = (.closed, [], [], [], 0) }
    passed = nil
    return Sides(before: pieces)
  }

  private func isTimed(_ payload: Payload) -> Bool {
    if case .sound = kind { true } else { payload.stamp != nil }
  }

  private mutating func open(at place: Int) -> Sides {
    state = .open
    stamp = packets.last { $0.place <= place }?.stamp
    var sides = Sides()
    var start = 0
    for piece in pieces {
      let end = start + piece.bytes.count
      if end <= place, start < place || piece.bytes.isEmpty {
        sides.before.append(piece)
      } else if start >= place {
        sides.behind.append(piece)
      } else {
        let cut = piece.bytes.startIndex + place - start
        sides.before.append(Payload(isStart: piece.isStart, bytes: piece.bytes[..<cut]))
        sides.behind.append(Payload(isStart: true, stamp: stamp, bytes: piece.bytes[cut...]))
      }
      start = end
    }
    if let first = sides.behind.first, first.stamp == nil { sides.behind[0].stamp = stamp }
    (unread, pieces, packets) = ([], [], [])
    return sides
  }

  private mutating func place(isAll: Bool) throws(StreamError) -> Int? {
    switch kind {
    case .picture(let codec): picture(codec)
    case .sound(let codec): try sound(codec, isAll: isAll)
    }
  }

  /// Returns the place of the first picture that is the first to begin in a PES packet with times.
  private mutating func picture(_ codec: PictureCodec) -> Int? {
    while let start = StartCode.next(in: unread[...], from: scanned) {
      let head = unread[(start + 3)...].prefix(StartCode.head)
      guard head.count == StartCode.head else {
        scanned = start
        return nil
      }
      scanned = start + 3
      let place = StartCode.first(start, in: unread)
      guard let packet = packets.last(where: { $0.place <= place }) else { return nil }
      let isAtStart = unread[packet.place..<start].allSatisfy { $0 == 0 }
      let isFirst: Bool
      let begin = codec.begin(of: head)
      switch begin {
      case .delimiter: isFirst = true
      case .ahead: isFirst = isAtStart || hasSlice
      case .picture:
        isFirst = isAtStart || hasSlice
        hasSlice = true
      case .slice:
        hasSlice = true
        isFirst = false
      case .other: isFirst = false
      }
      guard isFirst else { continue }
      if packet.stamp != nil, passed.map({ $0 < packet.place }) ?? true {
        return isAtStart ? packet.place : place
      }
      passed = place
      if case .picture = begin {} else { hasSlice = false }
    }
    scanned = max(scanned, unread.count - 2)
    return nil
  }

  /// Returns the place of the first frame. At the beginning of the payload, one more frame must
  /// follow it; elsewhere, two more frames.
  private mutating func sound(_ codec: SoundFrame.Codec, isAll: Bool) throws(StreamError) -> Int? {
    // Places without a frame are not tried again. A place is tried again if bytes of a frame there
    // have not come yet.
    var place = scanned
    defer { scanned = place }
    while place < unread.count {
      var end = place
      var rate: Int?
      var isFrame = true
      for number in 0..<(place == 0 ? 2 : Self.chain) {
        guard unread.count - end >= SoundFrame.maxHeadBytes else {
          if !isAll { return nil }
          // The segment ends here, so the frame does too.
          isFrame = place == 0 && (number > 0 || unread.first == codec.sync)
          break
        }
        let read: SoundFrame?
        if place == 0, number == 0 {
          read = try SoundFrame.read(unread[end...], as: codec)
        } else {
          read = (try? SoundFrame.read(unread[end...], as: codec)) ?? nil
        }
        guard let frame = read, frame.length > 0, rate == nil || rate == frame.rate,
          number > 0 || !frame.isDependent
        else {
          isFrame = false
          break
        }
        rate = frame.rate
        end += frame.length
      }
      if isFrame { return place }
      place = unread[(place + 1)...].firstIndex(of: codec.sync) ?? unread.count
    }
    return nil
  }
}
