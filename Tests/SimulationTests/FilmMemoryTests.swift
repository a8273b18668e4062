import Blocks
import Filling
import Streams
import TestSupport
import Testing

@testable import StreamFiles

/// A film keeps a bounded memory, and forgets nothing that it still needs.
@Suite(.timeLimit(.minutes(1)))
struct FilmMemoryTests {
  @Test func whatWasReadForTheLayoutIsForgottenInItsTurn() throws {
    var scene = try FilmScene(segments: 24)
    var film = scene.film
    film.beginnings[0] = FragmentBeginning(
      bytes: Array(scene.contents[0].prefix(150_000)),
      version: Representation(length: scene.contents[0].count, validator: .none))
    scene.state = FilmState(film)
    #expect(scene.state.slots.keys.sorted() == [0])
    for number in 1..<24 {
      scene.want(FetchID(number), scene.places[number]..<scene.places[number + 1])
      scene.giveAll()
    }
    #expect(scene.state.slots[0] == nil && scene.state.slots[23] != nil)
  }

  @Test func aSlotThatIsBeingMadeIsNotForgotten() throws {
    var scene = try FilmScene(segments: 24)
    let first = scene.places[0]..<scene.places[1]
    scene.want(1, first)
    scene.give(scene.asked[0], 150_000)
    for number in 1..<24 {
      scene.want(FetchID(number + 1), scene.places[number]..<scene.places[number + 1])
      scene.give(scene.asked[number])
    }
    scene.giveAll()
    #expect(scene.given[1] == Array(scene.truth[first]) && scene.asked.count == 24)
  }

  /// A run may be as long as the film.
  @Test func whatWasGivenIsForgotten() throws {
    var scene = try FilmScene(file: FragmentedFile.file(sample: 40_000))
    scene.want(1, scene.places[0]..<scene.places[2])
    while let next = scene.underWay.first {
      scene.give(next, 16 << 10)
      let held = scene.state.pieces.values.reduce(0) { $0 + $1.bytes.count }
      #expect(held <= 48 << 10)
    }
    #expect(scene.hasAll(1))
  }

  @Test func thePlacesOfSomeSlotsAreKept() throws {
    let count = FilmState.retainedMaps + 8
    var scene = try FilmScene(file: FragmentedFile.file(count: count, hasIndex: true))
    let range = scene.places[0]..<scene.places[count]
    for fetch in [1, 2] {
      scene.want(FetchID(fetch), range)
      scene.giveAll()
      #expect(scene.given[FetchID(fetch)] == Array(scene.truth[range]))
      #expect(scene.state.maps.count == FilmState.retainedMaps)
    }
  }
}
