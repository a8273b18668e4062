import Dispatch
import Locks

/// Calls `body` for all items at the same time, and returns the outcomes in the order of the items.
///
/// Each call runs on a thread of its own, because it can block. So a call that hangs does not delay
/// the others. Returns when all calls have ended.
func together<Item: Sendable, Outcome: Sendable>(
  _ items: [Item], _ body: @escaping @Sendable (Item) -> Outcome
) -> [Outcome] {
  guard items.count > 1 else { return items.map(body) }
  let outcomes = Locked([Outcome?](repeating: nil, count: items.count))
  let all = DispatchGroup()
  for (index, item) in items.enumerated() {
    DispatchQueue(label: "feedfs.asking.\(index)").async(group: all) {
      let outcome = body(item)
      outcomes.withLock { $0[index] = outcome }
    }
  }
  all.wait()
  return outcomes.withLock { $0.compactMap(\.self) }
}
