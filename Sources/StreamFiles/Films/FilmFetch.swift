import Blocks
import Filling
import Streams

/// A fetch of one range of a stream's file, with the state of its work. Its bytes are delivered in
/// order.
struct FilmFetch {
  /// A run of neighbouring fragments that one request brings.
  struct Run {
    let resource: Int
    let bytes: ByteRange
    /// The slots that are made of `bytes`.
    let slots: ClosedRange<Int>
    /// The request for `bytes`; nil before it begins.
    var piece: PieceID?
  }

  /// The search for the places of a slot's samples in its fragment.
  struct Search {
    let slot: Int
    var map: ClusterMap
    var piece: PieceID?
    /// True for the second try, after no slot could be made from the bytes of the first try.
    var isSecond = false

    init(_ layout: StreamLayout, slot: Int, isSecond: Bool = false) {
      self.slot = slot
      self.isSecond = isSecond
      map = ClusterMap(layout, slot: slot)
    }
  }

  /// The way in which a fetch gets the bytes of a slot.
  enum Way {
    /// The whole slot is made, once for all fetches that want it.
    case whole
    /// The fragment has its samples in the same order as the slot, so the slot is delivered while
    /// the fragment comes.
    case order
    /// Only a part of the slot is wanted, so only the ranges of the fragment that this part needs
    /// are requested.
    case part
  }

  /// The slot that is being delivered.
  struct Reading {
    let slot: Int
    let way: Way
    /// The pieces that make the wanted part of the slot; nil before they are known.
    var pieces: [SlotPiece]?
    /// The index of the piece that is being delivered, and how many of its bytes were delivered.
    var piece = 0
    var given = 0
    /// The requests that bring bytes for this slot only.
    var runs: [Run] = []
  }

  let id: FetchID
  let begin: Int
  /// The offset of the next byte to deliver.
  var place: Int
  let end: Int
  var urgency: Urgency
  /// True once `runs` has all planned requests.
  var isPlanned = false
  var runs: [Run] = []
  var search: Search?
  var reading: Reading?
  /// The bytes of small pieces. They are gathered here, and then given to the sink by one call.
  var portion: [UInt8] = []
  /// True if the sink has got no byte yet, or no byte since it was last told `rested`.
  var isResting = true

  init(_ id: FetchID, _ range: ByteRange, _ urgency: Urgency) {
    (self.id, self.urgency) = (id, urgency)
    (begin, place, end) = (range.lowerBound, range.lowerBound, range.upperBound)
  }
}
