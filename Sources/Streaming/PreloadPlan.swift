/// What a mount fetches though nobody reads it, as a value: of the entries behind the one that plays
/// what makes them start at once, and the rest of those that were played.
///
/// Only while nobody is in a hurry: whatever is fetched here shares its line with the readers.
package struct PreloadPlan<Name: Hashable & Sendable>: Sendable {
  private var hurried: Set<Name> = []
  /// The one that plays, and those behind it as long as it does.
  private var playing: Name?
  private var next: [Name] = []
  /// Those of which all is wanted.
  private var whole: [Name] = []

  package init() {}

  /// What is to be had of each file at this time.
  package var parts: [Name: [Part]] {
    guard hurried.isEmpty else { return [:] }
    var parts: [Name: [Part]] = [:]
    for name in next { parts[name] = [.head, .tail, .opening] }
    for name in whole { parts[name, default: []].append(.whole) }
    return parts
  }

  /// The files that parts of are wanted of, now or when nobody is in a hurry any more.
  package var names: Set<Name> {
    Set(next).union(whole)
  }

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
  package mutating func wantsAll(of name: Name) {
    if !whole.contains(name) { whole.append(name) }
  }

  /// All of `name` is there, or cannot be had.
  package mutating func isDone(with name: Name) {
    whole.removeAll { $0 == name }
    next.removeAll { $0 == name }
  }
}
