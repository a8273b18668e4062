import Testing

@testable import Playback

/// The orders to a player while the files of its entries get other names.
@Suite(.timeLimit(.minutes(1)))
struct RenamedEntryTests {
  private func renamed(_ numbers: [Int], to folder: String = "/new") -> PlayedListing {
    PlayedListing(numbers.map { renamed($0, to: folder) }, isWhole: true)
  }

  private func renamed(_ number: Int, to folder: String = "/new") -> PlayedEntry {
    PlayedEntry(
      key: key(number), path: "\(folder)/\(number).mp4", title: "Title \(number)", duration: nil)
  }

  private func paths(_ numbers: [Int], in folder: String = "/new") -> [String] {
    numbers.map { "\(folder)/\($0).mp4" }
  }

  @Test func theEntryThatPlaysGoesOnAndTheOthersGetTheirNewNames() {
    var queue = playing(2, of: [1, 2, 3])
    #expect(queue.happened(.listed(renamed([1, 2, 3]))) == [.look])
    #expect(queue.current == "/new/2.mp4")
    let old = [1, 2, 3].map(path)
    let list = applied(queue.happened(.holds(old, current: 1)), to: old)
    #expect(list == ["/new/1.mp4", path(2), "/new/3.mp4"])
    #expect(queue.happened(.listed(renamed([1, 2, 3]))).isEmpty)

    // The next one plays.
    _ = queue.happened(.ended(.end))
    #expect(queue.happened(.opens("/new/3.mp4")).contains(.look))
    let all = applied(queue.happened(.holds(list, current: 2)), to: list)
    #expect(all == paths([1, 2, 3]))
    #expect(shown(queue.happened(.loaded)) == nil)
  }

  @Test func twiceRenamedItIsStillInTheListOnce() {
    var queue = playing(2, of: [1, 2, 3])
    var list = [1, 2, 3].map(path)
    for folder in ["/a", "/b"] {
      _ = queue.happened(.listed(renamed([1, 2, 3], to: folder)))
      list = applied(queue.happened(.holds(list, current: 1)), to: list)
    }
    #expect(list == ["/b/1.mp4", path(2), "/b/3.mp4"])
    _ = queue.happened(.opens("/b/3.mp4"))
    #expect(
      applied(queue.happened(.holds(list, current: 2)), to: list) == paths([1, 2, 3], in: "/b"))
  }

  @Test func afterAnOutageItIsOpenedByItsNewName() {
    var queue = lost(by: refused)
    #expect(isProbed(queue.happened(.checked(path(1), refused))))
    #expect(queue.happened(.listed(renamed([1, 2]))) == [.endProbe, .look])
    let old = [1, 2].map(path)
    var list = applied(queue.happened(.holds(old, current: 0)), to: old)
    #expect(list == [path(1), "/new/2.mp4"])

    var supply = refused
    supply.path = "/new/1.mp4"
    _ = queue.happened(.supplied(supply))
    #expect(queue.happened(.second(60)).contains(.probe("/new/1.mp4", at: probed)))
    #expect(queue.happened(.probed("/new/1.mp4", true)).contains(.look))
    let edits = queue.happened(.holds(list, current: 0))
    list = applied(edits, to: list)
    #expect(edits.last == .look)
    let orders = queue.happened(.holds(list, current: list.firstIndex(of: path(1))))
    let place = list.firstIndex(of: "/new/1.mp4")
    #expect(place.map { orders.contains(.play($0)) } == true, "\(list) \(orders)")
    #expect(queue.happened(.opens("/new/1.mp4")).contains(.start(at: 40)))
    #expect(applied(queue.happened(.holds(list, current: place)), to: list) == paths([1, 2]))
  }

  /// Two feeds may have the same address but for a secret.
  @Test func anotherEntryOfTheSameKeyIsNoNewName() {
    var queue = playing(1, of: [1, 2])
    let both = PlayedListing([1, 2].map(entry) + [renamed(1)], isWhole: true)
    _ = queue.happened(.listed(both))
    #expect(queue.current == path(1))
  }
}
