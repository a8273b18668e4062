/// The part of a mount's files that a status shows.
package struct StatusPart: Hashable, Sendable {
  /// The number of files to skip at the beginning of the list; nil for none.
  package var from: Int?
  /// The limit for files to show; nil for no limit.
  package var count: Int?
  /// The `revision` of an earlier answer. Only files that have changed since that answer are shown;
  /// nil shows all.
  package var since: Int?

  package init(from: Int? = nil, count: Int? = nil, since: Int? = nil) {
    self.from = from
    self.count = count
    self.since = since
  }

  /// Reads the query items of a request. Returns nil if a value is not a number, or is negative.
  init?(_ items: [(name: String, value: String?)]) {
    func number(_ name: String) -> Int?? {
      guard let item = items.first(where: { $0.name == name }) else { return .some(nil) }
      guard let number = item.value.flatMap({ Int($0) }), number >= 0 else { return nil }
      return .some(number)
    }
    guard let from = number("from"), let count = number("count"), let since = number("since")
    else { return nil }
    self.init(from: from, count: count, since: since)
  }

  var items: [(name: String, value: String?)] {
    [("from", from), ("count", count), ("since", since)].compactMap { name, value in
      value.map { (name, "\($0)") }
    }
  }

  /// Returns the places of this part's files in the list of `all` files.
  package func places(of all: Int) -> Range<Int> {
    let first = min(from ?? 0, all)
    return first..<first + min(count ?? all, all - first)
  }
}
