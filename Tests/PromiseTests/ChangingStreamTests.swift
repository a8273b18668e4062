import Control
import Foundation
import TestSupport
import Testing

extension Promises {
  /// A packager writes over the segments of a stream while it is read: names and sizes stay.
  @Suite(
    .timeLimit(.minutes(5)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct ChangingStreamTests {
    /// Names of the versions in answers.
    enum Tags: CaseIterable, CustomTestStringConvertible {
      case strong, none

      var testDescription: String { "\(self) tags" }
    }

    /// Segments of their own, and single files with an index or a list.
    private static let shapes = [
      StreamShape.transport, .segments, .group, .numbered, .listed, .oneFile, .pair,
    ]
    /// One of each kind.
    private static let kinds = [StreamShape.transport, .segments, .numbered, .pair]
    private static let changes =
      shapes.map { ($0, Tags.strong) } + kinds.map { ($0, Tags.none) }

    /// A film that will change. Its origin keeps the files of the new one ready.
    private final class Changing {
      let film: StreamFeed
      let truth: [UInt8]
      let newTruth: [UInt8]

      init(_ shape: StreamShape, _ tags: Tags) throws {
        film = try StreamFeed(shape)
        truth = try film.truth()
        newTruth = try film.prepareWithTheSameSizes()
        try #require(newTruth.count == truth.count && newTruth != truth)
        if tags == .none {
          try film.feed.origin.describe(below: "/files", etag: "none", lastModified: false)
        }
      }

      /// Reads 256 KiB at each place once. Returns the bytes that came, by their places.
      func read(_ file: MountedFile) -> [Int: [UInt8]] {
        var parts: [Int: [UInt8]] = [:]
        for place in stride(from: 0, to: truth.count, by: 256 << 10) {
          do {
            parts[place] = try file.read(place..<place + (256 << 10))
          } catch let failure as ReadFailure {
            #expect([ESTALE, EIO].contains(failure.errno), "\(failure)")
          } catch {
            Issue.record(error)
          }
        }
        return parts
      }

      func areOf(_ whole: [UInt8], _ parts: [Int: [UInt8]]) -> Bool {
        parts.allSatisfy { place, bytes in
          whole[place...].starts(with: bytes) && !bytes.isEmpty
        }
      }
    }

    @Test(arguments: changes)
    func aHandleHasBytesOfOneVersionAndANewOneTheNewFilmWhole(
      _ shape: StreamShape, _ tags: Tags
    ) throws {
      let changing = try Changing(shape, tags)
      let (film, feed) = (changing.film, changing.film.feed)
      try film.mount(options: ["--fill", "window"])
      // Much is missing when the other version comes.
      try feed.origin.network(rate: 50 << 10)
      let file = try MountedFile(film.film(1))
      #expect(try file.read(0..<4096) == Array(changing.truth[..<4096]))
      // Requests that are under way bring the old version. A pause ends them.
      #expect(try feed.feedfs("pause", feed.mountPoint).status == 0)
      try film.writeOver()
      try feed.origin.network(rate: 0)
      #expect(try feed.feedfs("resume", feed.mountPoint).status == 0)

      let parts = changing.read(file)
      #expect(changing.areOf(changing.truth, parts))
      #expect(parts.count < changing.truth.count / (256 << 10) + 1)
      #expect(eventually { (try? feed.bytes(of: film.film(1))) == changing.newTruth })
    }

    /// A part of the film is in the cache when the mount ends.
    @Test(arguments: kinds, Tags.allCases)
    func overARestartNothingIsMixed(_ shape: StreamShape, _ tags: Tags) throws {
      let changing = try Changing(shape, tags)
      let (film, feed) = (changing.film, changing.film.feed)
      try film.mount(options: ["--fill", "window"])
      try feed.origin.network(rate: 50 << 10)
      let part = 40_000
      do {
        let file = try MountedFile(film.film(1))
        #expect(try file.read(0..<part) == Array(changing.truth[..<part]))
        #expect(try feed.feedfs("pause", feed.mountPoint).status == 0)
      }
      let cached = try feed.status().files[0].cached
      try #require(cached >= part && cached < changing.truth.count)
      try feed.unmount()
      try film.writeOver()
      try feed.origin.network(rate: 0)
      try film.mount(options: ["--fill", "window"])
      let isNew = eventually {
        // Each handle has one version from its beginning to its end.
        guard let file = try? MountedFile(film.film(1)) else { return false }
        let parts = changing.read(file)
        #expect(changing.areOf(changing.truth, parts) || changing.areOf(changing.newTruth, parts))
        return (try? feed.bytes(of: film.film(1))) == changing.newTruth
      }
      #expect(isNew)
    }

    /// The servers behind one name, or two addresses, have the same bytes and tags of their own.
    @Test(arguments: kinds)
    func otherTagsForTheSameBytesAreNoChange(_ shape: StreamShape) throws {
      let film = try StreamFeed(shape)
      let truth = try film.truth()
      let feed = film.feed
      for number in 0..<300 {
        try feed.origin.fault(
          .etag, below: "/files/film1/", times: 1, ["value": "\"node-\(number % 7)\""])
      }
      try film.mount(options: ["--fill", "window"])
      #expect(try feed.bytes(of: film.film(1)) == truth)
    }

    /// Over a restart too, when a part of it was read from one node.
    @Test(arguments: kinds)
    func anotherNodeBringsTheRestOfTheSameFilm(_ shape: StreamShape) throws {
      let film = try StreamFeed(shape)
      let truth = try film.truth()
      let feed = film.feed
      try film.mount(options: ["--fill", "window"])
      try feed.origin.network(rate: 50 << 10)
      let part = 40_000
      do {
        let file = try MountedFile(film.film(1))
        #expect(try file.read(0..<part) == Array(truth[..<part]))
        #expect(try feed.feedfs("pause", feed.mountPoint).status == 0)
      }
      try feed.unmount()
      try feed.origin.network(rate: 0)
      try feed.origin.fault(.etag, below: "/files/film1/", ["value": "\"another-node\""])
      try film.mount(options: ["--fill", "window"])
      let file = try MountedFile(film.film(1))
      #expect(try file.readAll() == truth)
    }
  }
}

extension StreamFeed {
  /// Makes another film whose files have the names and the sizes of the first one's, which `writeOver`
  /// writes over those. Returns its bytes.
  func prepareWithTheSameSizes() throws -> [UInt8] {
    let (film, next) = (feed.media + "/film1", feed.media + "/next")
    let files = FileManager.default
    try files.copyItem(atPath: film, toPath: next)
    for name in try files.contentsOfDirectory(atPath: next) where name != shape.source.last {
      let path = URL(filePath: next + "/" + name)
      var bytes = Array(try Data(contentsOf: path))
      switch path.pathExtension {
      case "ts": Self.changePackets(&bytes)
      case "mp4", "m4s", "m4a": Self.changeMedia(&bytes)
      default: continue
      }
      try Data(bytes).write(to: path)
    }
    return try truth(of: "next")
  }

  /// Writes the prepared film over the first one, file by file.
  func writeOver() throws {
    let (film, next) = (feed.media + "/film1", feed.media + "/next")
    let files = FileManager.default
    for name in try files.contentsOfDirectory(atPath: next) where name != shape.source.last {
      let bytes = try Data(contentsOf: URL(filePath: next + "/" + name))
      let file = try FileHandle(forWritingTo: URL(filePath: film + "/" + name))
      try file.write(contentsOf: bytes)
      try file.close()
    }
  }

  /// Changes a byte of each packet of the picture that is not the first of its unit.
  private static func changePackets(_ bytes: inout [UInt8]) {
    for start in stride(from: 0, to: bytes.count - 187, by: 188) {
      let isPicture = bytes[start + 1] & 0x5F == 1 && bytes[start + 2] == 0
      if isPicture, bytes[start + 3] & 0x20 == 0 { bytes[start + 187] ^= 4 }
    }
  }

  /// Changes the samples of all fragments. Their tables stay.
  private static func changeMedia(_ bytes: inout [UInt8]) {
    var place = 0
    while place + 8 <= bytes.count {
      let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, place + size <= bytes.count else { return }
      if bytes[place + 4..<place + 8].elementsEqual("mdat".utf8) {
        for sample in place + 8..<place + size { bytes[sample] ^= 0x55 }
      }
      place += size
    }
  }
}
