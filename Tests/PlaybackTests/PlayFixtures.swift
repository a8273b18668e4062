@testable import Playback

func key(_ number: Int) -> PlayedEntry.Key {
  PlayedEntry.Key(feed: "https://example.org/f", number: number, id: "id-\(number)")
}

func path(_ number: Int) -> String {
  "/m/" + String("000\(number)".suffix(4)) + ".mp4"
}

func entry(_ number: Int) -> PlayedEntry {
  PlayedEntry(key: key(number), path: path(number), title: "Title \(number)", duration: nil)
}

func listing(_ numbers: [Int], _ isWhole: Bool = false) -> PlayedListing {
  PlayedListing(numbers.map(entry), isWhole: isWhole)
}

/// Gives the player all of `numbers` and tells it to play.
func begin(_ queue: inout PlayQueue, with numbers: [Int], isWhole: Bool = false) -> [PlayAction] {
  queue.happened(.idle) + queue.happened(.listed(listing(numbers, isWhole)))
    + queue.happened(.holds([], current: nil))
}

func begun(with numbers: [Int], isWhole: Bool = false) -> PlayQueue {
  var queue = PlayQueue()
  _ = begin(&queue, with: numbers, isWhole: isWhole)
  return queue
}

func playing(_ number: Int, of numbers: [Int], isWhole: Bool = false) -> PlayQueue {
  var queue = begun(with: numbers, isWhole: isWhole)
  _ = queue.happened(.opens(path(number)))
  _ = queue.happened(.loaded)
  return queue
}

/// Returns the text that the player's user sees.
func shown(_ actions: [PlayAction]) -> String? {
  actions.compactMap { action in
    switch action {
    case .show(let text), .tell(let text): text
    default: nil
    }
  }.first
}

/// Returns a player's list after `actions`.
func applied(_ actions: [PlayAction], to list: [String]) -> [String] {
  actions.reduce(into: list) { list, action in
    switch action {
    case .append(let entries): list += entries.map(\.path)
    case .move(let from, let to): list.insert(list.remove(at: from), at: to)
    case .remove(let index): list.remove(at: index)
    default: break
    }
  }
}
