import Blocks
import Filling
import Streams

/// A fetch of one range of a film, which is delivered in order, and its progress.
struct FilmFetch {
  /// A run of neighbouring fragments that is asked for by one request.
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
    /// The samples of the fragment lie in the order of the slot, so the slot is delivered while the
    /// fragment comes.
    case order
    /// Only the ranges of the fragment that the wanted part of the slot needs are asked for.
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
  /// The bytes of small pieces that are gathered, and then given to the sink together.
  var portion: [UInt8] = []
  /// True if the sink got no byte since its last `rested`.
  var isResting = true

  init(_ id: FetchID, _ range: ByteRange, _ urgency: Urgency) {
    (self.id, self.urgency) = (id, urgency)
    (begin, place, end) = (range.lowerBound, range.lowerBound, range.upperBound)
  }
}
