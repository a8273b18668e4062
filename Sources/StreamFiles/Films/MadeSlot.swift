import Blocks
import Filling
import Streams

/// A slot that is made as a whole, for all fetches that want it, while its fragment comes.
struct MadeSlot {
  let number: Int
  /// The size of the slot in bytes.
  private let size: Int
  /// The composer that makes the slot; none once the slot is made. It is in an array, because it is
  /// large: a `MadeSlot` that contained it directly would be costly to move.
  private var composers: [SlotComposer]
  private let blank: [SlotComposer]
  /// The slot's bytes, as far as they are known.
  private(set) var bytes = ByteRun(at: 0)
  /// The number of bytes of the fragment that were taken.
  private(set) var taken = 0
  /// The version of the resource that the bytes came from.
  var version: Representation?
  /// True if the slot was begun again because an answer had another version.
  private(set) var wasBegunAnew = false
  /// The reason why the slot could not be made from an earlier answer; nil if there was no such
  /// answer.
  var fault: PieceError?
  /// The fetches that want the slot.
  var fetches: Set<FetchID> = []
  /// The request whose bytes the slot takes; nil while there is no request.
  var piece: PieceID?
  var urgency = Urgency.demand
  /// The time at which the work on the slot ends if no fetch wants the slot by then; nil if a fetch
  /// wants it, or if the work has ended.
  var lingersUntil: Duration?
  /// How many bytes of the fragment's media are in no sample, and how many bytes of its samples lie
  /// outside its media. Known once the slot is made.
  private(set) var balance = MediaBalance()

  /// - Parameter keys: the keys of the stream. The index is the key's number in the layout.
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

  /// Creates a slot from the beginning of its fragment, which is not encrypted. If the beginning is
  /// the whole fragment, and no other fragment is needed, the slot is made at once.
  init(
    _ layout: StreamLayout, slot: Int, _ beginning: FragmentBeginning, keys: [[UInt8]]
  ) throws(PieceError) {
    try self.init(layout, slot: slot, keys: keys)
    version = beginning.version
    try take(beginning.bytes[...])
    guard taken == layout.fragments[slot].bytes.count else { return }
    try endFragment()
    if needs == nil { try finish() }
  }

  var isWhole: Bool { composers.isEmpty }
  /// True if a fetch wants the slot, or if the work on the slot goes on for a moment without a
  /// fetch.
  var isWanted: Bool { !fetches.isEmpty || lingersUntil != nil }
  /// True while the slot is being made, or is about to be made.
  var isAtWork: Bool { piece != nil || !isWhole && !fetches.isEmpty }

  /// About how many bytes of memory the slot takes up. Its bytes share the memory of those of the
  /// fragment.
  var memory: Int { max(bytes.count, taken) }

  /// Notes the version of an answer. If bytes of another version were taken before, drops these
  /// bytes and returns false. Then the fragment must be requested from its beginning.
  mutating func isOf(_ answer: Representation) -> Bool {
    if taken == 0 { version = answer }
    guard version != answer else { return true }
    (composers, taken) = (blank, 0)
    wasBegunAnew = true
    bytes = ByteRun(at: 0)
    return false
  }

  /// Takes the next bytes of the fragment.
  mutating func take(_ more: ArraySlice<UInt8>) throws(PieceError) {
    taken += more.count
    try add { composer throws(StreamError) in try composer.take(more) }
  }

  /// Notes that all bytes of the fragment were taken. The bytes that `needs` names must be taken
  /// next.
  mutating func endFragment() throws(PieceError) {
    try add { composer throws(StreamError) in try composer.endFragment() }
  }

  /// The bytes of a neighbouring fragment that must be taken next; nil if the slot can be finished.
  var needs: (slot: Int, bytes: Range<Int>)? { composers.first?.needs }

  /// Takes the bytes that `needs` names.
  mutating func takeNeeded(_ more: ArraySlice<UInt8>) throws(PieceError) {
    try add { composer throws(StreamError) in try composer.takeNeeded(more) }
  }

  /// Makes the last bytes of the slot, once all bytes that it needs were taken.
  mutating func finish() throws(PieceError) {
    try add { composer throws(StreamError) in try composer.finish() }
    balance = composers.first?.balance ?? balance
    composers = []
    guard bytes.count == size else {
      throw PieceError(.failed, "a part of the stream has another size than was announced")
    }
  }

  private mutating func add(
    _ make: (inout SlotComposer) throws(StreamError) -> [ArraySlice<UInt8>]
  ) throws(PieceError) {
    guard !composers.isEmpty else { return }
    do throws(StreamError) {
      for portion in try make(&composers[0]) { bytes.append(portion) }
    } catch {
      throw PieceError(ofSlot: error)
    }
  }
}
