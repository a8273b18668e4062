import Blocks
import Streaming
import Streams

/// A slot that is made as a whole, for all fetches that want it, while its fragment comes.
///
/// It belongs to the reader of one film, and is used on its actor alone.
final class MadeSlot {
  let slot: Int
  /// Bytes of the slot.
  private let size: Int
  /// Nil once the slot is there.
  private var composer: SlotComposer?
  private let blank: SlotComposer
  /// The slot's bytes, as far as they are known.
  private(set) var bytes: [UInt8] = []
  /// The bytes of the fragment that were taken.
  private(set) var taken = 0
  /// The version of the resource that they are of.
  private(set) var version: Representation?
  /// True if it was made anew because of another version.
  private(set) var wasBegunAnew = false
  /// The fetches that want it.
  var fetches: Set<FetchID> = []
  /// The work on it; nil while nothing is done.
  private(set) var work: (number: Int, task: Task<Void, Never>)?
  var transfer: PieceTransfer?
  /// The reason why it cannot be made; nil if it can.
  private(set) var trouble: StreamTrouble?
  /// The media of the fragment that is in no sample, once the slot is there.
  private(set) var balance = MediaBalance()
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - key: the key of its fragment; nil if that is not encrypted.
  ///   - keys: those of the stream, as the layout numbers them.
  init(
    _ layout: StreamLayout, slot: Int, key: [UInt8]?, keys: [[UInt8]] = []
  ) throws(StreamTrouble) {
    self.slot = slot
    do throws(StreamFault) {
      blank = try SlotComposer(layout, slot: slot, key: key, keys: keys)
    } catch {
      throw StreamTrouble(ofSlot: error)
    }
    composer = blank
    size = layout.fragments[slot].slot
  }

  /// Makes a slot of which the beginning of the fragment is known.
  convenience init(
    _ layout: StreamLayout, slot: Int, _ beginning: FragmentBeginning, keys: [[UInt8]]
  ) throws(StreamTrouble) {
    try self.init(layout, slot: slot, key: nil, keys: keys)
    version = beginning.version
    try take(beginning.bytes)
    guard taken == layout.fragments[slot].bytes.count else { return }
    try endFragment()
    if needs == nil { try finish() }
  }

  var isWhole: Bool { composer == nil }

  /// Bytes of memory that it has.
  var memory: Int { max(bytes.count, isWhole ? 0 : taken) }

  func begin(_ number: Int, _ task: Task<Void, Never>) {
    work = (number, task)
  }

  /// Notes the version of the resource that answers. Returns false if bytes of another one were taken
  /// before. Then the slot is to be made anew.
  func isOf(_ answer: Representation) -> Bool {
    if taken == 0 { version = answer }
    guard version != answer else { return true }
    (composer, taken) = (blank, 0)
    wasBegunAnew = true
    bytes.removeAll(keepingCapacity: true)
    return false
  }

  /// Goes on with the bytes of another version, which begins with the same bytes.
  func goOn(with answer: Representation) {
    version = answer
  }

  /// Takes the next bytes of the fragment.
  func take(_ more: [UInt8]) throws(StreamTrouble) {
    taken += more.count
    try add { composer throws(StreamFault) in try composer?.take(more[...]) }
  }

  /// Ends the bytes of the fragment. Those that `needs` names come next.
  func endFragment() throws(StreamTrouble) {
    try add { composer throws(StreamFault) in try composer?.endFragment() }
  }

  /// The bytes of a fragment near the slot's own that must come next; nil if it can be finished.
  var needs: (slot: Int, bytes: Range<Int>)? { composer?.needs }

  /// Takes the bytes that `needs` names.
  func takeNeeded(_ more: [UInt8]) throws(StreamTrouble) {
    try add { composer throws(StreamFault) in try composer?.takeNeeded(more[...]) }
  }

  private func add(
    _ make: (inout SlotComposer?) throws(StreamFault) -> [UInt8]?
  ) throws(StreamTrouble) {
    do throws(StreamFault) {
      if let made = try make(&composer), !made.isEmpty {
        if bytes.isEmpty { bytes.reserveCapacity(size) }
        bytes += made
      }
    } catch {
      throw StreamTrouble(ofSlot: error)
    }
    wake()
  }

  /// Makes the rest of the slot, at the end of the fragment.
  func finish() throws(StreamTrouble) {
    do throws(StreamFault) {
      let rest = try composer?.finish() ?? []
      balance = composer?.balance ?? balance
      // Many slots are made all at once here, and need no copy.
      if bytes.isEmpty { bytes = rest } else { bytes += rest }
    } catch {
      throw StreamTrouble(ofSlot: error)
    }
    composer = nil
  }

  /// Ends the work.
  func end(_ trouble: StreamTrouble? = nil) {
    self.trouble = trouble
    (work, transfer) = (nil, nil)
    wake()
  }

  /// Ends the work before the end of the fragment. It goes on later where it was.
  func rest() {
    work?.task.cancel()
    transfer?.cancel()
    end()
  }

  /// Waits until there is more of it, or its work ends.
  func more(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { waiters.append($0) }
  }

  /// Lets all fetches that wait look again.
  func wake() {
    let all = waiters
    waiters = []
    for waiter in all { waiter.resume() }
  }
}
