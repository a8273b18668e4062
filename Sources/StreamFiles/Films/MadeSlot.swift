import Blocks
import Filling
import Streams

/// A slot that is made as a whole, for all fetches that want it, while its fragment comes.
struct MadeSlot {
  let number: Int
  /// Bytes of the slot.
  private let size: Int
  /// The composer; none once the slot is made. It lies in an array, because a slot that contains it
  /// would be costly to move.
  private var composers: [SlotComposer]
  private let blank: [SlotComposer]
  /// The slot's bytes, as far as they are known.
  private(set) var bytes = ByteRun(at: 0)
  /// The number of bytes of the fragment that were taken.
  private(set) var taken = 0
  /// The version of the resource that the bytes came from.
  var version: Representation?
  /// True if it was begun again because of another version.
  private(set) var wasBegunAnew = false
  /// The reason why it could not be made from an earlier answer.
  var fault: PieceError?
  /// The fetches that want it.
  var fetches: Set<FetchID> = []
  /// The request whose bytes it takes; nil while there is none.
  var piece: PieceID?
  var urgency = Urgency.demand
  /// The time at which the work ends, if no fetch wants the slot before.
  var lingersUntil: Duration?
  /// How many bytes of the fragment's media are in no sample, and how many bytes of its samples lie
  /// outside its media. Known once the slot is made.
  private(set) var balance = MediaBalance()

  /// - Parameter keys: those of the stream, as the layout numbers them.
  init(_ layout: StreamLayout, slot: Int, keys: [[UInt8]]) throws(PieceError) {
    number = slot
    let key = layout.fragments[slot].key
    do throws(StreamError) {
      blank = [
        try SlotComposer(
          layout, slot: slot,
          key: key.flatMap { keys.indices.contains($0.number) ? keys[$0.number] : nil }, keys: keys)
      ]
    } catch {
      throw PieceError(ofSlot: error)
    }
    composers = blank
    size = layout.fragments[slot].slot
  }

  /// Creates a slot whose fragment has no key, and takes the beginning of the fragment. If that is
  /// all of the fragment, and nothing else is needed, the slot is made.
  init(
    _ layout: StreamLayout, slot: Int, _ beginning: FragmentBeginning, keys: [[UInt8]]
  ) throws(PieceError) {
    try self.init(layout, slot: slot, keys: keys)
    version = beginning.version
    try take(beginning.bytes)
    guard taken == layout.fragments[slot].bytes.count else { return }
    try endFragment()
    if needs == nil { try finish() }
  }

  var isWhole: Bool { composers.isEmpty }
  /// True if a fetch wants it, or if its work goes on for a moment without one.
  var isWanted: Bool { !fetches.isEmpty || lingersUntil != nil }
  /// True while it is made, or is about to be.
  var isAtWork: Bool { piece != nil || !isWhole && !fetches.isEmpty }

  /// The bytes of memory that it takes up.
  var memory: Int { max(bytes.count, isWhole ? 0 : taken) }

  /// Notes the version of the resource that answers. Returns false if bytes of another one were
  /// taken before. Then the slot must be begun again.
  mutating func isOf(_ answer: Representation) -> Bool {
    if taken == 0 { version = answer }
    guard version != answer else { return true }
    (composers, taken) = (blank, 0)
    wasBegunAnew = true
    bytes = ByteRun(at: 0)
    return false
  }

  /// Takes the next bytes of the fragment.
  mutating func take(_ more: [UInt8]) throws(PieceError) {
    taken += more.count
    try add { composer throws(StreamError) in try composer.take(more[...]) }
  }

  /// Ends the bytes of the fragment. Those that `needs` names come next.
  mutating func endFragment() throws(PieceError) {
    try add { composer throws(StreamError) in try composer.endFragment() }
  }

  /// The bytes of a fragment near the slot's own that must come next; nil if it can be finished.
  var needs: (slot: Int, bytes: Range<Int>)? { composers.first?.needs }

  /// Takes the bytes that `needs` names.
  mutating func takeNeeded(_ more: ArraySlice<UInt8>) throws(PieceError) {
    try add { composer throws(StreamError) in try composer.takeNeeded(more) }
  }

  /// Makes the rest of the slot, at the end of the fragment.
  mutating func finish() throws(PieceError) {
    try add { composer throws(StreamError) in try composer.finish() }
    balance = composers.first?.balance ?? balance
    composers = []
    guard bytes.count == size else {
      throw PieceError(.failed, "a part of the stream has another size than was announced")
    }
  }

  private mutating func add(
    _ make: (inout SlotComposer) throws(StreamError) -> [UInt8]
  ) throws(PieceError) {
    guard !composers.isEmpty else { return }
    do throws(StreamError) {
      bytes.append(try make(&composers[0]))
    } catch {
      throw PieceError(ofSlot: error)
    }
  }
}
