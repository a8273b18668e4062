import Foundation
import TestSupport
import Testing

@testable import Streams

/// No bytes lead to a trap, to endless work, or to much memory.
@Suite(.timeLimit(.minutes(2)))
struct HostileStreamTests {
  static let films = [
    TestBoxes.film(), TestBoxes.film(hasIndex: false), TestWebM.film(),
    TestWebM.film(hasCuesInFront: false),
  ]

  /// Does with a file all that a mount would do.
  ///
  /// - Returns: true if a file was made of it.
  @discardableResult
  private func look(at bytes: [UInt8]) -> Bool {
    guard let index = try? Assembly.index(of: bytes).index,
      let layout = try? Assembly.layout([index])
    else { return false }
    for slot in layout.fragments.indices {
      let fragment = layout.fragments[slot]
      precondition(fragment.bytes.upperBound <= bytes.count, "a fragment outside its file")
      guard fragment.slot < 1 << 24 else { continue }
      var asked = 0
      guard
        let pieces = try? Assembly.pieces(
          layout, slot: slot, bytes[fragment.bytes], asked: &asked)
      else { continue }
      let count = pieces.reduce(0) { $0 + $1.count }
      precondition(count == fragment.slot, "a slot of another size")
      for case .range(let range) in pieces {
        precondition(range.upperBound <= fragment.bytes.count, "a sample outside its fragment")
      }
    }
    return true
  }

  /// The bytes from which fuzzing begins are films and a layout, so that it gets to their readers.
  @Test func theCorpusOfFuzzingIsReadToItsEnd() throws {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let corpus = "/" + folder + "/Fuzz/Corpus/film/"
    for name in ["v-mp4", "m-mp4", "a-m4a", "v-webm", "a-webm", "m-webm"] {
      let bytes = try Data(contentsOf: URL(filePath: corpus + name))
      #expect(look(at: Array(bytes.dropFirst())), "\(name)")
    }
    let zeros = [UInt8](repeating: 0, count: StreamLayout.identitySize)
    var index = try Assembly.index(of: TestBoxes.film()).index
    index.fragments[0].beginning = try SegmentBeginning(of: [1, 2, 3])
    let layout = try Assembly.layout([index])
    let document = try layout.encoded { _ in zeros }
    let known = try Data(contentsOf: URL(filePath: corpus + "layout"))
    let read = try StreamLayout(encoded: Array(known.dropFirst())) { _ in zeros }
    #expect(read == layout && Array(known.dropFirst()) == document)
  }

  @Test(arguments: films.indices)
  func aFilmThatEndsAnywhereIsRefusedOrShorter(film: Int) {
    let film = Self.films[film]
    #expect(look(at: film))
    for count in film.indices { look(at: Array(film.prefix(count))) }
  }

  @Test(arguments: films.indices, 0..<10)
  func bytesThatChangeAreNoHarm(film: Int, seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<300 {
      var film = Self.films[film]
      for _ in 0...random.below(4) {
        let values = [0, 0xFF, 0x7F, 0x80, random.below(256)]
        film[random.below(film.count)] = UInt8(values[random.below(values.count)])
      }
      look(at: film)
    }
  }

  @Test(arguments: [Int.max, Int.min, -1, 1 << 32, 1 << 62])
  func aBoxOfAnySizeIsMeasured(size: Int) {
    let large = TestBoxes.number(1, 4) + Array("moov".utf8) + TestBoxes.number(size, 8)
    #expect(!look(at: large))
    #expect(!look(at: TestBoxes.brand + large + TestBoxes.film()))
    for type in ["sidx", "moof", "mdat", "free"] {
      var film = TestBoxes.film()
      let place = film.indices.first { film[$0...].starts(with: Array(type.utf8)) } ?? 4
      film.replaceSubrange(
        place - 4..<place + 4,
        with: TestBoxes.number(1, 4) + Array(type.utf8) + TestBoxes.number(size, 8))
      look(at: film)
    }
  }

  @Test func boxesInBoxesAreNotFollowed() {
    var box = TestBoxes.box("moov")
    for _ in 0..<5000 { box = TestBoxes.box("moov", box) }
    #expect(!look(at: TestBoxes.brand + box))
  }

  @Test func elementsInElementsEndAtTheirLimit() throws {
    var bytes: [UInt8] = [0xEC, 0x80]
    for _ in 0..<1000 { bytes = [UInt8].element(ElementID.segment, bytes) }
    var element = Element(id: 0, body: bytes[...], level: 0)
    for _ in 0..<StreamLimit.depth.value {
      element = try #require(try element.children.first)
    }
    #expect(throws: StreamError.tooLarge("depth")) { try element.children }
  }

  @Test func manySmallBoxesAreNotCountedForEver() {
    let many = Array(repeatElement(TestBoxes.box("free"), count: 20_000).joined())
    #expect(!look(at: TestBoxes.brand + many + TestBoxes.film()))
    let elements = [UInt8](repeating: 0, count: 0)
    #expect(!look(at: elements))
    let voids = Array(repeatElement([0xEC, 0x80] as [UInt8], count: 20_000).joined())
    #expect(
      !look(
        at: [UInt8].element(ElementID.ebml, []) + [UInt8].header(ElementID.segment, size: 40_000)
          + voids))
  }

  @Test func whatExceedsALimitIsNotAskedFor() throws {
    let length = 1 << 40
    func ends(_ type: String, size: Int) -> StreamError? {
      let start =
        TestBoxes.brand + TestBoxes.number(1, 4) + Array(type.utf8) + TestBoxes.number(size, 8)
      var plan = StrandPlan(length: length)
      plan.take(start[...], at: 0)
      do {
        _ = try plan.step()
        return nil
      } catch {
        return error
      }
    }
    #expect(ends("moov", size: 17 << 20) == .tooLarge("movieHead"))
    #expect(ends("sidx", size: 17 << 20) == .tooLarge("index"))
    #expect(ends("moov", size: 15 << 20) == nil)
  }

  @Test func timesOfAnySizeAreNoTrap() {
    for time in [Int.max, Int.max / 2, 1 << 53, 1 << 40] {
      let run = TestBoxes.Run(samples: [(5, 0xFFFF_FFFF, 0, 0x7FFF_FFFF), (5, 1, 0, -1)])
      look(
        at: TestBoxes.brand + TestBoxes.moov([TestBoxes.Track()])
          + TestBoxes.fragment(time: time, run) + TestBoxes.fragment(time: time, run))
      var index = TestBoxes.sidx(earliest: time, [(100, 0xFFFF_FFFF, false)])
      index += [UInt8](repeating: 0, count: 100)
      look(at: TestBoxes.brand + TestBoxes.moov([TestBoxes.Track()]) + index)
    }
  }
}
