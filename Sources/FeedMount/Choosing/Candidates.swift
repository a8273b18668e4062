/// The candidates of an entry, and the candidate that is in use. The best candidate is tried first.
struct Candidates: Sendable {
  /// All candidates, the best first. For a web page, the page is the only candidate.
  private(set) var all: [String]
  /// The newest address that the feed gave for the candidate in use.
  private(set) var current: String
  /// Addresses that were skipped. They were refused, nothing is at them, or they have no ranges or
  /// no length.
  private(set) var tried: Set<String> = []
  private var withoutRanges: Set<String> = []
  /// True if a candidate without ranges is accepted, because no better candidate is left.
  private(set) var takesWhole = false
  private var withoutLength: Set<String> = []
  /// True if a candidate without a length is accepted, because no better candidate is left.
  private(set) var takesGrowing = false

  /// - Parameters:
  ///   - all: the best first; not empty.
  ///   - current: the candidate to begin with.
  init(_ all: [String], current: String) {
    self.all = all
    self.current = current
  }

  var areSeveral: Bool { all.count > 1 }

  /// Replaces the candidates by the feed's new addresses, and forgets which were tried.
  mutating func moved(to all: [String], current: String) {
    self = Candidates(all, current: current)
  }

  /// Notes that an address cannot be used.
  mutating func tried(_ address: String) {
    tried.insert(address)
  }

  /// Switches to the next candidate that was neither tried nor refused. If there is none, switches
  /// to the best candidate without ranges, and at last to the best candidate without a length.
  /// Returns false if no candidate is left.
  mutating func takeNext(besides refused: [String: String]) -> Bool {
    tried.insert(current)
    if let next = all.first(where: { !tried.contains($0) && refused[$0] == nil }) {
      current = next
      return true
    }
    if !takesWhole, let best = all.first(where: withoutRanges.contains) {
      takesWhole = true
      current = best
      return true
    }
    guard !takesGrowing, let best = all.first(where: withoutLength.contains) else { return false }
    takesGrowing = true
    current = best
    return true
  }

  /// Switches to another candidate, because the present one has no ranges. Returns false if there
  /// is no other candidate.
  mutating func declinesWhole(besides refused: [String: String]) -> Bool {
    guard !takesWhole, areSeveral else { return false }
    withoutRanges.insert(current)
    return takesAnother(besides: refused)
  }

  /// Switches to another candidate, because the length of the present one is not known. Returns
  /// false if there is no other candidate. A body of unknown length is the last choice, because it
  /// can only be read from its beginning on.
  mutating func declinesGrowing(besides refused: [String: String]) -> Bool {
    guard !takesGrowing, areSeveral else { return false }
    withoutLength.insert(current)
    return takesAnother(besides: refused)
  }

  /// Starts over with the best candidate.
  mutating func beginAnew() {
    self = Candidates(all, current: all.first ?? current)
  }

  private mutating func takesAnother(besides refused: [String: String]) -> Bool {
    let before = current
    return takeNext(besides: refused) && current != before
  }
}
