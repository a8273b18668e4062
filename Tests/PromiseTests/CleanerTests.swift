import Glibc
import TestSupport
import Testing

extension Promises {
  /// Cleaners, backups and users change the files of the cache below a mount. Whoever opens a film
  /// afterwards, or reads it through the daemon, gets no wrong byte, and no process a signal.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount)) struct CleanerTests {
    /// The shell's way to change a file. `$o` is an older copy of it, `$b` the same of another film.
    enum Deed: String, CaseIterable {
      case emptied = "truncate -s 0 \"$f\""
      case cut = "truncate -s \"$half\" \"$f\""
      case overwritten =
        "dd if=/dev/urandom of=\"$f\" conv=notrunc status=none bs=100 seek=\"$seek\" count=41"
      case exchanged = "cp \"$b\" \"$f.x\" && mv \"$f.x\" \"$f\""
      case exchangedInPlace = "cat \"$b\" > \"$f\""
      case restored = "cp \"$o\" \"$f.x\" && mv \"$f.x\" \"$f\""
      case restoredInPlace = "cat \"$o\" > \"$f\""
    }

    /// The files that are changed.
    enum Place: CaseIterable {
      case data, index, both
    }

    /// The way in which films are read.
    enum Reader: CaseIterable {
      case passthrough, daemon

      var options: [String] { self == .daemon ? ["--no-passthrough"] : [] }
    }

    struct Trial: CustomStringConvertible {
      let deed: Deed
      let place: Place
      let reader: Reader

      var description: String { "\(place) is \(deed), read by \(reader)" }
    }

    private static let size = 1 << 20 + 54_321
    private static let older = 300_000
    private static let truth = Pattern.bytes(0..<size, seed: 1)
    private static let trials = Deed.allCases.flatMap { deed in
      Place.allCases.flatMap { place in
        Reader.allCases.map { Trial(deed: deed, place: place, reader: $0) }
      }
    }

    @Test(arguments: Scale.cases(6, of: trials))
    func noWrongByteIsReadBehindACleaner(_ trial: Trial) throws {
      let feed = try MountedFeed()
      let films = try complete(feed, trial.reader)
      try readBehind(trial, films, feed)
      try feed.unmount()
      try suffer(trial.deed, trial.place, films, feed)
      try feed.mount(options: trial.reader.options)
      #expect(try MountedFile(feed.path(1)).readAll() == Self.truth)
      #expect(try feed.process.isRunning)
    }

    private func readBehind(
      _ trial: Trial, _ films: [[String: String]], _ feed: MountedFeed
    ) throws {
      let old = try MountedFile(feed.path(1))
      #expect(try old.read(0..<4096) == Array(Self.truth[..<4096]))
      try suffer(trial.deed, trial.place, films, feed)

      // A handle that is in passthrough cannot be helped. It is read all the same.
      try old.forgetPages()
      let bytes = try? old.readAll()
      #expect(trial.reader == .passthrough || bytes == Self.truth)
      for _ in 0..<2 {
        let new = try MountedFile(feed.path(1))
        try new.forgetPages()
        #expect(try new.readAll() == Self.truth)
      }
      #expect(try MountedFile(feed.path(2)).readAll() == Pattern.bytes(0..<Self.size, seed: 2))
      #expect(try feed.process.isRunning)
    }

    @Test(arguments: [
      Trial(deed: .cut, place: .data, reader: .daemon),
      Trial(deed: .exchangedInPlace, place: .both, reader: .passthrough),
    ])
    func withoutTheOriginBytesAreRightOrAnError(_ trial: Trial) throws {
      let feed = try MountedFeed()
      let films = try complete(feed, trial.reader, ["--read-timeout", Duration.seconds(1).option])
      feed.origin.stop()
      try suffer(trial.deed, trial.place, films, feed)
      let film = try MountedFile(feed.path(1))
      try film.forgetPages()
      var wasRead = 0
      for start in stride(from: 0, to: Self.size, by: 262_144) {
        let range = start..<start + 65_536
        if let bytes = try? film.read(range) {
          #expect(bytes.elementsEqual(range, of: Self.truth))
          wasRead += 1
        } else {
          #expect(try film.failure(of: range) == EIO)
        }
      }
      #expect(wasRead == (trial.deed == .cut ? 2 : 0))
      #expect(try feed.process.isRunning)
    }

    // MARK: Private

    /// Mounts, and reads two films whole. Copies what the cache had of the first one before. Returns
    /// the paths of their files.
    private func complete(
      _ feed: MountedFeed, _ reader: Reader, _ options: [String] = []
    ) throws -> [[String: String]] {
      try feed.serve([
        PatternFile(name: "a", size: Self.size, seed: 1),
        PatternFile(name: "b", size: Self.size, seed: 2),
      ])
      try feed.mount(options: reader.options + options)
      do {
        let film = try MountedFile(feed.path(1))
        _ = try film.read(0..<Self.older)
        try feed.settle()
        for (name, path) in try files(1, of: feed) {
          try run("cp $f \"$o\"", path, copy(name, feed))
        }
      }
      for number in 1...2 {
        let truth = Pattern.bytes(0..<Self.size, seed: UInt64(number))
        #expect(try MountedFile(feed.path(number)).readAll() == truth)
      }
      try feed.settle()
      if reader == .passthrough, Passthrough.obstacle == nil {
        #expect(
          try eventually { try MountedFile(feed.path(1)).passesThrough(past: feed.process) })
      }
      return try (1...2).map { try files($0, of: feed) }
    }

    private func suffer(
      _ deed: Deed, _ place: Place, _ films: [[String: String]], _ feed: MountedFeed
    ) throws {
      for name in ["index", "data"] where place == .both || "\(place)" == name {
        guard let path = films[0][name], let other = films[1][name] else {
          throw TestToolError("no \(name)")
        }
        let script =
          "touch -r \"$f\" \"$o.date\" && \(deed.rawValue) && touch -r \"$o.date\" \"$f\""
        try run(script, path, copy(name, feed), other, isData: name == "data")
      }
    }

    private func run(
      _ script: String, _ file: String, _ copy: String, _ other: String = "", isData: Bool = true
    ) throws {
      let outcome = try ChildProcess.run([
        "env", "f=\(file)", "o=\(copy)", "b=\(other)", "half=\(isData ? 400_001 : 4_110)",
        "seek=\(isData ? 4_000 : 0)", "sh", "-c", script,
      ])
      guard outcome.status == 0 else { throw TestToolError("\(script): \(outcome.err)") }
    }

    private func copy(_ name: String, _ feed: MountedFeed) -> String {
      feed.folder + "/older." + name
    }

    /// The paths of the two files of a film.
    private func files(_ number: Int, of feed: MountedFeed) throws -> [String: String] {
      let data = try feed.dataFile("000\(number).mp4")
      return ["data": data, "index": String(data.dropLast("data".count)) + "idx"]
    }
  }
}
