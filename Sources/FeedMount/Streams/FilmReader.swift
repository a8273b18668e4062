import Blocks
import HTTP
import NIOConcurrencyHelpers
import Streaming
import Streams

/// Makes ranges of a film out of its resources.
///
/// A range needs one request for each run of neighbouring fragments. A slot whose samples do not lie
/// in the order of the file is made once for all fetches that want it, and kept for a while.
actor FilmReader {
  /// The slots ahead whose bytes are fetched while one is delivered: two of a picture, with their sound.
  static let slotsAhead = 3
  /// The most bytes of those that are made as wholes, because they are in memory meanwhile.
  static let mostAhead = 8 << 20
  /// Bytes of a slot before the wanted ones that are fetched with them. A request to find the wanted
  /// ones would cost a round trip, in which as much comes.
  static let mostSkipped = 128 << 10
  /// Bytes between two fragments that are fetched with them. They cost less than a request.
  static let widestGap = 16 << 10
  /// Bytes of a fragment that are asked for to find its table of samples.
  static let beginning = 16 << 10
  /// Bytes of the table of samples of a short fragment.
  static let usualTable = 8 << 10
  /// The most bytes of slots that are kept, since a fetch often ends within one.
  static let keptBytes = 12 << 20
  /// The most bytes of a fragment that are fetched though nobody wants its slot at the moment. To end
  /// the request would cost a connection.
  static let mostUnwanted = 8 << 20
  /// How long they are. The next fetch of a reader that reads on begins at once.
  static let linger = Duration.seconds(1)
  /// The slots whose pieces are kept. Each takes some ten KiB.
  static let keptMaps = 32

  let film: Film
  let pieces: PieceClient
  var layout: StreamLayout { film.layout }
  /// The versions of resources that have answered.
  var versions: [Int: Representation] = [:]
  /// Says of the resources whose beginnings the layout knows which answers may be taken.
  var proofs: [Int: ResourceProof]
  var maps: [Int: [SlotPiece]] = [:]
  var mapOrder: [Int] = []
  /// The slots that are made as wholes. Those that nobody wanted last come first in the order.
  var made: [Int: MadeSlot] = [:]
  var madeOrder: [Int] = []
  var nextWork = 0
  var transfers: [FetchID: [PieceTransfer]] = [:]
  var urgencies: [FetchID: Urgency] = [:]
  /// The bytes of each resource that have fragments, and how many fragments there are.
  let extents: [Int: (start: Int, end: Int, fragments: Int)]
  /// The slots that lack some of their fragment's media.
  private nonisolated let uneven = NIOLockedValueBox<[Int: MediaBalance]>([:])

  init(_ film: Film, _ pieces: PieceClient) {
    // A beginning of no use is asked for again.
    for (slot, beginning) in film.beginnings {
      made[slot] = try? MadeSlot(film.layout, slot: slot, beginning, keys: film.keys)
    }
    madeOrder = made.keys.sorted()
    proofs = film.layout.proofs
    for (resource, version) in film.seen { proofs[resource]?.compared(version) }
    var film = film
    film.beginnings = [:]
    film.seen = [:]
    self.film = film
    self.pieces = pieces
    var extents: [Int: (start: Int, end: Int, fragments: Int)] = [:]
    for fragment in film.layout.fragments where !fragment.isGap {
      let known = extents[fragment.resource] ?? (.max, 0, 0)
      extents[fragment.resource] = (
        min(known.start, fragment.bytes.lowerBound), max(known.end, fragment.bytes.upperBound),
        known.fragments + 1
      )
    }
    self.extents = extents
    for work in made.values where !work.balance.isEven {
      uneven.withLockedValue { $0[work.slot] = work.balance }
    }
  }

  /// The media that is in no slot that was made so far, in words; nil if all of it is. Safe from any
  /// thread.
  nonisolated var loss: String? {
    uneven.withLockedValue { $0.values.reduce(MediaBalance(), +) }.words
  }

  /// Notes what a slot lacks of its fragment's media.
  func note(_ balance: MediaBalance, of slot: Int) {
    guard !balance.isEven else { return }
    uneven.withLockedValue { $0[slot] = balance }
  }

  // MARK: Fetches

  /// Delivers the bytes of `range` in order.
  func deliver(
    _ range: ByteRange, _ urgency: Urgency, to outlet: FilmOutlet
  ) async throws(StreamTrouble) {
    urgencies[outlet.fetch] = urgency
    var isDone = false
    defer { ended(outlet.fetch, isDone: isDone) }
    var delivery = Delivery(outlet)
    if range.lowerBound < layout.head.count {
      let head = layout.head[range.lowerBound..<min(range.upperBound, layout.head.count)]
      delivery.add(head)
    }
    let slots = layout.slots(touching: range)
    if urgency == .demand { leaveUnwanted(but: slots) }
    guard !slots.isEmpty else { return delivery.flush() }
    delivery.runs = try await runs(for: slots, of: range, outlet.fetch)
    for slot in slots {
      if Task.isCancelled { throw StreamTrouble(.unanswered, nil) }
      try lookAhead(from: slot, in: slots, of: range, delivery)
      let own = layout.bytes(ofSlot: slot)
      let cut = range.clamped(to: own)
      let part = cut.lowerBound - own.lowerBound..<cut.upperBound - own.lowerBound
      if SlotBytes.isInOrder(layout, slot: slot) {
        try await deliver(part, ofSlot: slot, &delivery)
      } else if isMadeInPart(slot, of: range, for: outlet.fetch) {
        try await deliver(inPart: part, ofSlot: slot, &delivery)
      } else {
        try await deliver(ofWhole: part, ofSlot: slot, &delivery)
      }
      // Bytes at a wrong place would be cached as right ones.
      guard delivery.place == cut.upperBound else {
        throw StreamTrouble(.failed, "a part of its stream has another size than it says")
      }
    }
    delivery.flush()
    isDone = true
  }

  /// Raises the urgency of a fetch.
  func promote(_ fetch: FetchID) {
    urgencies[fetch] = .demand
    for transfer in transfers[fetch] ?? [] { transfer.promote() }
    for slot in made.values where slot.fetches.contains(fetch) { slot.transfer?.promote() }
  }

  /// Ends everything that is done for this fetch alone.
  ///
  /// - Parameter isDone: true if it has all its bytes.
  func ended(_ fetch: FetchID, isDone: Bool = false) {
    urgencies[fetch] = nil
    for transfer in transfers.removeValue(forKey: fetch) ?? [] { transfer.cancel() }
    leave(fetch, isDone: isDone)
  }

  // MARK: Resources

  /// Returns all bytes of `range`.
  func read(
    _ range: ByteRange, of resource: Int, for fetch: FetchID
  ) async throws(StreamTrouble) -> [UInt8] {
    let transfer = start(range, of: resource, for: fetch)
    try await admit(transfer, of: resource, urgencies[fetch] ?? .demand)
    var bytes: [UInt8] = []
    while let next = try await transfer.next() {
      if bytes.isEmpty { bytes = next } else { bytes += next }
    }
    guard bytes.count == transfer.wanted.count else {
      throw StreamTrouble(.failed, "a piece of its stream is shorter than it should be")
    }
    return bytes
  }

  func start(_ range: ByteRange, of resource: Int, for fetch: FetchID) -> PieceTransfer {
    let transfer = pieces.start(
      film.resources[resource], range, expected: proofs[resource] == nil ? versions[resource] : nil,
      urgencies[fetch] ?? .demand)
    transfers[fetch, default: []].append(transfer)
    return transfer
  }

  /// Waits until the bytes of an answer may be taken. They must be of the version that the layout is of.
  func admit(
    _ transfer: PieceTransfer, of resource: Int, _ urgency: Urgency
  ) async throws(StreamTrouble) {
    let (version, wanted) = (try await transfer.answer().representation, transfer.wanted)
    try check(version, of: resource)
    guard let proof = proofs[resource] else { return }
    switch proof.step(for: version, bringing: wanted) {
    case .take: break
    case .compare(let sample):
      let bytes = try await transfer.beginning(sample.range.upperBound - wanted.lowerBound)
      let own = bytes.dropFirst(sample.range.lowerBound - wanted.lowerBound)
      guard sample.beginning.begins(own) else { throw Self.changed }
      proofs[resource]?.compared(version)
    case .ask(let samples):
      // Bytes that are asked for after the answer began are of no earlier version.
      var versions: Set<Representation> = []
      for sample in samples {
        let found = try await pieces.read(film.resources[resource], sample.range, urgency)
        try check(found.representation, of: resource)
        guard sample.beginning.begins(found.bytes[...]) else { throw Self.changed }
        versions.insert(found.representation)
      }
      // Other servers may have told it, whose versions have other tags than the answer.
      if versions.count == 1, let one = versions.first { proofs[resource]?.compared(one) }
    }
    let count = proof.noted(of: wanted)
    guard count > 0, let beginning = try? SegmentBeginning(of: try await transfer.beginning(count))
    else { return }
    proofs[resource]?.note(beginning, at: wanted.lowerBound)
  }

  private static let changed = StreamTrouble(.changed, "its stream has changed")

  /// Notes the version of a resource. It must have the bytes that the layout says.
  func check(_ version: Representation, of resource: Int) throws(StreamTrouble) {
    if versions[resource] == version { return }
    if let known = versions[resource] {
      // Where bytes tell versions apart, tags do not.
      guard proofs[resource] != nil, known.length == version.length else { throw Self.changed }
    }
    let end = extents[resource]?.end ?? 0
    guard isAlone(resource) ? version.length == end : version.length >= end else {
      throw Self.changed
    }
    versions[resource] = version
  }

  /// Whether a resource is one fragment, and nothing else.
  func isAlone(_ resource: Int) -> Bool {
    extents[resource].map { $0.fragments == 1 && $0.start == 0 } ?? false
  }
}
