/// What a mount fetches though nobody reads it, as a value: of the entries behind the one that plays
/// what makes them start at once, and the rest of those that were played.
///
/// Only while nobody is in a hurry: whatever is fetched here shares its line with the readers.
package struct PreloadPlan<Name: Hashable & Sendable>: Sendable {
  private var hurried: Set<Name> = []
  /// The one that plays, and those behind it as long as it does.
  private var playing: Name?
  private var next: [Name] = []
  /// Those of which all is wanted, by the reason, and in the order in which they are had.
  private var whole: [Reason: [Name]] = [:]

  /// Why all of a file is wanted; who waits for it comes first.
  package enum Reason: Hashable, CaseIterable, Sendable {
    case asked, played, pinned
  }

  /// As many are filled at once: the background may have two transfers of an origin.
  private static var mostAtOnce: Int { 2 }

  package init() {}

  /// What is to be had of each file at this time.
  package var parts: [Name: [Part]] {
    guard hurried.isEmpty else { return [:] }
    var parts: [Name: [Part]] = [:]
    for name in next { parts[name] = [.head, .tail, .opening] }
    for name in filled { parts[name, default: []].append(.whole) }
    return parts
  }

  /// The files that parts of are wanted of, now or when nobody is in a hurry any more.
  package var names: Set<Name> {
    Set(next).union(filled)
  }

  /// Those that are filled now.
  package var filled: [Name] {
    var filled: [Name] = []
    for name in Reason.allCases.flatMap({ whole[$0] ?? [] }) where !filled.contains(name) {
      guard filled.count < Self.mostAtOnce else { break }
      filled.append(name)
    }
    return filled
  }

  /// Those of which all is wanted for this reason.
  package func wanted(because reason: Reason) -> [Name] { whole[reason] ?? [] }

  /// Whether all of some file is wanted.
  package var isFilling: Bool { whole.values.contains { !$0.isEmpty } }

  /// The readers of `name` are better or worse off; `following` are the files behind it.
  package mutating func noted(_ mood: Mood, of name: Name, following: () -> [Name]) {
    switch mood {
    case .hurried: hurried.insert(name)
    case .idle:
      hurried.remove(name)
      if playing == name { (playing, next) = (nil, []) }
    case .calm:
      hurried.remove(name)
      (playing, next) = (name, following())
    }
  }

  /// All of `name` is wanted, also after it is closed.
  package mutating func wantsAll(of name: Name, because reason: Reason = .played) {
    if !(whole[reason] ?? []).contains(name) { whole[reason, default: []].append(name) }
  }

  /// It is no longer wanted for this reason.
  package mutating func release(_ name: Name, as reason: Reason) {
    whole[reason]?.removeAll { $0 == name }
  }

  /// Nothing comes of `name` at the moment: those behind it go before.
  package mutating func postpone(_ name: Name) {
    for (reason, names) in whole where names.contains(name) {
      whole[reason] = names.filter { $0 != name } + [name]
    }
  }

  /// All of `name` is there for now, but not to stay.
  package mutating func isThere(_ name: Name) {
    for reason in Reason.allCases where reason != .pinned { release(name, as: reason) }
    next.removeAll { $0 == name }
  }

  /// All of `name` is there, or cannot be had.
  package mutating func isDone(with name: Name) {
    for reason in Reason.allCases { release(name, as: reason) }
    next.removeAll { $0 == name }
  }
}

/// A part of a file that is to be had before anybody reads it.
package enum Part: Hashable, Sendable {
  /// What a program reads first.
  case head
  /// The end, and the container's index if that lies before it.
  case tail
  /// What plays in the first ten seconds.
  case opening
  case whole
}

/// How the readers of one file are off.
package enum Mood: Hashable, Sendable {
  /// Nobody reads on.
  case idle
  /// Somebody waits for bytes, or reads on and has not ahead of him yet what he should.
  case hurried
  /// Somebody reads on, and has it.
  case calm
}
