/// The preloads of a mount, as a value. It preloads parts of the entries after the playing one, so
/// that they start at once. It also preloads the rest of each entry that was played.
///
/// It preloads only while no file is starved, because preloads share the line with the readers.
package struct PreloadPlan<Name: Hashable & Sendable>: Sendable {
  private var starved: Set<Name> = []
  /// The file that plays, and in `next` the files after it; empty when no file plays.
  private var playing: Name?
  private var next: [Name] = []
  /// Files that are wanted whole, by reason, in the order of fetching.
  private var whole: [Reason: [Name]] = [:]

  /// The reason why a whole file is wanted. `asked` comes first, because a command waits for it.
  package enum Reason: Hashable, CaseIterable, Sendable {
    case asked, played, pinned
  }

  /// The most files that are filled at once, because the background may have two fetches of an
  /// origin.
  private static var maxAtOnce: Int { 2 }

  package init() {}

  /// True if each byte costs something. Then nothing is preloaded but the head of the next file, and
  /// what a command asks for.
  package var isMetered = false

  /// The parts to preload of each file now.
  package var parts: [Name: [Part]] {
    guard starved.isEmpty else { return [:] }
    var parts: [Name: [Part]] = [:]
    for name in preloaded { parts[name] = isMetered ? [.head] : [.head, .tail, .opening] }
    for name in filled { parts[name, default: []].append(.whole) }
    return parts
  }

  /// Every file with planned parts, including those that wait for a starved file.
  package var names: Set<Name> {
    Set(preloaded).union(filled)
  }

  /// The files that are being filled now.
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

  /// Notes that all of `name` is wanted. It stays wanted after it is closed.
  package mutating func wantsAll(of name: Name, because reason: Reason = .played) {
    if !(whole[reason] ?? []).contains(name) { whole[reason, default: []].append(name) }
  }

  /// Removes one reason to want `name` whole.
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

  /// Moves `name` behind the others, because no bytes of it come at the moment.
  package mutating func postpone(_ name: Name) {
    for (reason, names) in whole where names.contains(name) {
      whole[reason] = names.filter { $0 != name } + [name]
    }
  }

  /// Notes that all of `name` is cached, but a part of it only in memory. A pin of it stays.
  package mutating func isThere(_ name: Name) {
    for reason in Reason.allCases where reason != .pinned { release(name, as: reason) }
    next.removeAll { $0 == name }
  }

  /// Notes that all of `name` is in its cache file, or that it cannot be fetched.
  package mutating func isDone(with name: Name) {
    for reason in Reason.allCases { release(name, as: reason) }
    next.removeAll { $0 == name }
  }
}

/// A part of a file that is fetched before any reader asks for it.
package enum Part: Hashable, Sendable {
  /// The part that a program reads first.
  case head
  /// The end, and the container's index if that lies near the end.
  case tail
  /// The first ten seconds of playing.
  case opening
  case whole
}

/// The buffering state of one file.
package enum BufferState: Hashable, Sendable {
  /// No reader reads on.
  case idle
  /// The file is starved: a read is blocked, or the read-ahead is behind its target.
  case starved
  /// The file is buffered: a reader reads on, and the read-ahead has reached its target.
  case buffered
}
