/// Decides what a mount preloads: parts of the files after the playing one, so that their playback
/// starts at once, and all bytes of the files that are wanted whole.
///
/// Nothing is preloaded while a file is starved, because preloads share the line with the readers.
package struct PreloadPlan<Name: Hashable & Sendable>: Sendable {
  private var starved: Set<Name> = []
  /// The file that plays; nil if none does. `next` has the files after it that are preloaded.
  private var playing: Name?
  private var next: [Name] = []
  /// The files that are wanted whole, by reason, in the order in which they are fetched.
  private var whole: [Reason: [Name]] = [:]

  /// The reason why a whole file is wanted. Files are fetched in the order of these cases. `asked`
  /// comes first, because a command waits for the file.
  package enum Reason: Hashable, CaseIterable, Sendable {
    case asked, played, pinned
  }

  /// The largest number of files that are fetched whole at once. An origin gets at most two
  /// background fetches.
  private static var maxAtOnce: Int { 2 }

  package init() {}

  /// True if each byte costs something. Then only the head of the next file is preloaded, and only
  /// files that a command asks for are fetched whole.
  package var isMetered = false

  /// The parts of each file that are preloaded now.
  package var parts: [Name: [Part]] {
    guard starved.isEmpty else { return [:] }
    var parts: [Name: [Part]] = [:]
    for name in preloaded { parts[name] = isMetered ? [.head] : [.head, .tail, .opening] }
    for name in filled { parts[name, default: []].append(.whole) }
    return parts
  }

  /// All files of which parts are planned, even if nothing is preloaded now because a file is
  /// starved.
  package var names: Set<Name> {
    Set(preloaded).union(filled)
  }

  /// The files that are to be fetched whole now, at most `maxAtOnce`.
  package var filled: [Name] {
    var filled: [Name] = []
    let reasons = isMetered ? [.asked] : Reason.allCases
    for name in reasons.flatMap({ whole[$0] ?? [] }) where !filled.contains(name) {
      guard filled.count < Self.maxAtOnce else { break }
      filled.append(name)
    }
    return filled
  }

  private var preloaded: [Name] { isMetered ? Array(next.prefix(1)) : next }

  /// Returns the files that are wanted whole for `reason`.
  package func wanted(because reason: Reason) -> [Name] { whole[reason] ?? [] }

  /// True if any file is wanted whole.
  package var isFilling: Bool { whole.values.contains { !$0.isEmpty } }

  /// Notes the new buffering state of `name`. `following` returns the files after it.
  package mutating func noted(_ bufferState: BufferState, of name: Name, following: () -> [Name]) {
    switch bufferState {
    case .starved: starved.insert(name)
    case .idle:
      starved.remove(name)
      if playing == name { (playing, next) = (nil, []) }
    case .buffered:
      starved.remove(name)
      (playing, next) = (name, following())
    }
  }

  /// Notes that all of `name` is wanted for `reason`. The file stays wanted after it is closed.
  package mutating func wantsAll(of name: Name, because reason: Reason = .played) {
    if !(whole[reason] ?? []).contains(name) { whole[reason, default: []].append(name) }
  }

  /// Notes that all of `name` is no longer wanted for `reason`.
  package mutating func release(_ name: Name, as reason: Reason) {
    whole[reason]?.removeAll { $0 == name }
  }

  /// Forgets the names for which `isGone` returns true.
  package mutating func forget(where isGone: (Name) -> Bool) {
    starved = starved.filter { !isGone($0) }
    if let name = playing, isGone(name) { (playing, next) = (nil, []) }
    next.removeAll(where: isGone)
    for reason in Reason.allCases { whole[reason]?.removeAll(where: isGone) }
  }

  /// Moves `name` behind the other files that are wanted whole, because its bytes do not come, or
  /// come too slowly.
  package mutating func postpone(_ name: Name) {
    for (reason, names) in whole where names.contains(name) {
      whole[reason] = names.filter { $0 != name } + [name]
    }
  }

  /// Notes that all of `name` is cached, but a part of it only in memory. The file is not preloaded
  /// any more, unless it is pinned.
  package mutating func isThere(_ name: Name) {
    for reason in Reason.allCases where reason != .pinned { release(name, as: reason) }
    next.removeAll { $0 == name }
  }

  /// Notes that all of `name` is in its cache file, or that it cannot be fetched. The file is not
  /// preloaded any more.
  package mutating func isDone(with name: Name) {
    for reason in Reason.allCases { release(name, as: reason) }
    next.removeAll { $0 == name }
  }
}

/// A part of a file that is fetched before any reader asks for it.
package enum Part: Hashable, Sendable {
  /// The part that a program reads first.
  case head
  /// The last bytes, and the container's index if it lies near them.
  case tail
  /// The first ten seconds of playing time.
  case opening
  case whole
}

/// The buffering state of one file.
package enum BufferState: Hashable, Sendable {
  /// No reader has read on past its first fetch, and no read waits.
  case idle
  /// The file is starved: a read is blocked, or the read-ahead is behind its target.
  case starved
  /// The file is buffered: a reader reads on past its first fetch, and the read-ahead has reached
  /// its target.
  case buffered
}
