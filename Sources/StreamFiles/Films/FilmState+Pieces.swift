import Blocks
import Filling
import Streams

/// Decides whether the bytes of an answer can be used. They must be of the version that the layout
/// was made from.
extension FilmState {
  static let changed = PieceError(.changed, "the stream has changed at its origin")
  static let short = PieceError(.failed, "the origin sent a piece of the stream that is too short")
  /// The limit for the requests of one sample, the pause after the first failure, and the longest
  /// pause that an origin can demand.
  private static let tries = 3
  private static let pause: Duration = .milliseconds(300)
  private static let maxPause: Duration = .seconds(10)

  /// Goes on with the proof of a piece, and lets the owner of the piece use the proved bytes.
  mutating func admit(_ id: PieceID) {
    guard let owner = owner(of: id) else { return }
    do throws(PieceError) {
      if case .proof(let other) = owner { return try compare(sample: id, of: other) }
      while try admitsMore(id) {}
    } catch {
      return fail(id, error)
    }
    switch owner {
    case .fetch(let fetch): look(atFetch: fetch)
    case .slot(let slot): look(atSlot: slot)
    case .proof: break
    }
  }

  /// Notes that no further bytes of a piece can be used, because of `trouble`.
  private mutating func fail(_ id: PieceID, _ trouble: PieceError) {
    guard let piece = pieces[id] else { return }
    switch piece.owner {
    case .fetch(let fetch):
      // The fetch does not end yet, because bytes of other pieces may come before these in the
      // file.
      pieces[id]?.failure = trouble
      if !piece.isOver { perform(.cancel(id)) }
      pieces[id]?.hasEnded = true
      look(atFetch: fetch)
    case .slot(let slot): fail(slot: slot, trouble)
    case .proof(let other):
      giveUp(id)
      guard trouble.isPassing, let asked = pieces[other]?.tries, asked < Self.tries else {
        return fail(other, trouble)
      }
      var pause = asked > 1 ? Self.pause * 4 : Self.pause
      if case .busy(let wait?) = trouble.end { pause = max(pause, min(wait, Self.maxPause)) }
      pieces[other]?.retry = now + pause
    }
  }

  /// Does the next step of a piece's proof. Returns false if the proof is complete, or if the step
  /// needs bytes that have not come yet.
  private mutating func admitsMore(_ id: PieceID) throws(PieceError) -> Bool {
    guard let piece = pieces[id] else { return false }
    switch piece.admission {
    case .admitted: return false
    case .awaited:
      guard let version = piece.version else {
        if piece.hasEnded { throw piece.failure ?? Self.short }
        return false
      }
      try check(version, of: piece.resource)
      if case .slot(let slot) = piece.owner, !isOf(version, slot) {
        restart(slot)
        return false
      }
      switch proofs[piece.resource]?.step(for: version, bringing: piece.wanted) {
      case nil: pieces[id]?.admission = .admitted
      case .take?: note(piece, id)
      case .compare(let sample)?: pieces[id]?.admission = .comparing(sample)
      case .ask(let samples)?:
        // The samples are requested after the answer began, so they do not come from an earlier
        // version than the answer.
        pieces[id]?.admission = .asking(samples, found: [])
      }
    case .comparing(let sample):
      let start = piece.wanted.lowerBound
      guard let bytes = try beginning(sample.range.upperBound - start, of: piece) else {
        return false
      }
      guard sample.beginning.begins(bytes.dropFirst(sample.range.lowerBound - start)) else {
        throw Self.changed
      }
      if let version = piece.version { proofs[piece.resource]?.compared(version) }
      note(piece, id)
    case .asking(let samples, let found):
      guard let sample = samples.first else {
        // The samples can come from other servers than the answer, and so with other tags. If all
        // samples have the same version, that version counts as compared.
        if found.count == 1, let one = found.first { proofs[piece.resource]?.compared(one) }
        note(piece, id)
        return true
      }
      guard piece.retry == nil, !pieces.values.contains(where: { $0.owner == .proof(of: id) })
      else { return false }
      pieces[id]?.tries += 1
      _ = ask(
        sample.range, of: piece.resource, for: .proof(of: id), piece.urgency, expected: nil)
      return false
    case .noting(let count):
      guard let bytes = piece.beginning(count) else { return false }
      if bytes.count >= min(count, piece.wanted.count),
        let beginning = try? SegmentBeginning(of: bytes)
      {
        proofs[piece.resource]?.note(beginning, at: piece.wanted.lowerBound)
      }
      pieces[id]?.admission = .admitted
    }
    return true
  }

  private mutating func note(_ piece: FilmPiece, _ id: PieceID) {
    let count = proofs[piece.resource]?.noted(of: piece.wanted) ?? 0
    pieces[id]?.admission = count > 0 ? .noting(count) : .admitted
  }

  private func beginning(
    _ count: Int, of piece: FilmPiece
  ) throws(PieceError) -> ArraySlice<UInt8>? {
    guard let bytes = piece.beginning(count) else { return nil }
    if bytes.count < min(count, piece.wanted.count), let failure = piece.failure { throw failure }
    return bytes
  }

  /// Compares the sample that the piece `id` was requested for, once it has come. The proof of the
  /// piece `other` needs the sample.
  private mutating func compare(sample id: PieceID, of other: PieceID) throws(PieceError) {
    guard let piece = pieces[id], piece.isOver else { return }
    guard case .asking(var samples, var found)? = pieces[other]?.admission else {
      return giveUp(id)
    }
    if let failure = piece.failure { throw failure }
    guard let version = piece.version else { throw Self.short }
    try check(version, of: piece.resource)
    guard let bytes = piece.beginning(piece.wanted.count), let sample = samples.first,
      sample.beginning.begins(bytes)
    else { throw Self.changed }
    samples.removeFirst()
    found.insert(version)
    giveUp(id)
    pieces[other]?.tries = 0
    pieces[other]?.admission = .asking(samples, found: found)
    look(atPiece: other)
  }

  /// Notes the version of a resource. Throws if its length or its tag shows that the layout was
  /// made from another version.
  private mutating func check(
    _ version: Representation, of resource: Int
  ) throws(PieceError) {
    if versions[resource] == version { return }
    if let known = versions[resource] {
      // If the resource has a proof, its bytes are compared. So another tag does not matter.
      guard proofs[resource] != nil, known.length == version.length else { throw Self.changed }
    }
    let end = extents[resource]?.end ?? 0
    guard isAlone(resource) ? version.length == end : version.length >= end else {
      throw Self.changed
    }
    versions[resource] = version
  }

  /// Whether a resource consists of one fragment, which begins at its first byte.
  func isAlone(_ resource: Int) -> Bool {
    extents[resource].map { $0.fragments == 1 && $0.start == 0 } ?? false
  }
}
