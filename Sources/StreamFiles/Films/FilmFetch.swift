import Blocks
import Filling
import Streams

/// One range of a film that is delivered in order, and how far it has come.
struct FilmFetch {
  /// A run of neighbouring fragments that is asked for at once.
  struct Run {
    let resource: Int
    let bytes: ByteRange
    /// The slots that are made of these bytes.
    let slots: ClosedRange<Int>
    /// The request; nil before it begins.
    var piece: PieceID?
  }

  /// The search for the places of a slot's samples in its fragment.
  struct Search {
    let slot: Int
    var map: ClusterMap
    var piece: PieceID?
    /// True at the second try: no slot could be made from the bytes of the first.
    var isSecond = false

    init(_ layout: StreamLayout, slot: Int, isSecond: Bool = false) {
      self.slot = slot
      self.isSecond = isSecond
      map = ClusterMap(layout, slot: slot)
    }
  }

  /// The way in which a fetch gets the bytes of a slot.
  enum Way {
    /// The slot is made once for all fetches.
    case whole
    /// The samples come in the order of the slot.
    case order
    /// Only the ranges that the part needs are asked for.
    case part
  }

  /// The slot that is delivered now.
  struct Reading {
    let slot: Int
    let way: Way
    /// The pieces of the part of the slot that is wanted; nil before they are known.
    var pieces: [SlotPiece]?
    /// The number of the piece that is being given, and how many of its bytes were given.
    var piece = 0
    var given = 0
    /// The requests for this slot alone.
    var runs: [Run] = []
  }

  let id: FetchID
  let begin: Int
  /// The place of the next byte.
  var place: Int
  let end: Int
  var urgency: Urgency
  /// True once the runs are known.
  var isPlanned = false
  var runs: [Run] = []
  var search: Search?
  var reading: Reading?
  /// Small pieces that are given together.
  var portion: [UInt8] = []
  /// True if the sink knows that it got all there is.
  var isResting = true

  init(_ id: FetchID, _ range: ByteRange, _ urgency: Urgency) {
    (self.id, self.urgency) = (id, urgency)
    (begin, place, end) = (range.lowerBound, range.lowerBound, range.upperBound)
  }
}
