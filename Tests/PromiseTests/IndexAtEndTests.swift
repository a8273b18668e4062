import TestSupport
import Testing

extension Promises {
  /// In a feed whose films have their index at the end, the end comes beside the head.
  @Suite(.timeLimit(.minutes(4))) struct IndexAtEndTests {
    private static let size = 4 << 20
    /// Bytes of the index.
    private static let index = 90_000

    /// An MP4 of meaningless pictures, with its index in front or at the end.
    private static func film(_ seed: UInt64, isFront: Bool = false) -> [UInt8] {
      let type = box("ftyp", Array("isom".utf8) + [0, 0, 2, 0] + Array("isom".utf8))
      let pictures = Pattern.bytes(0..<size - index - 8 - type.count, seed: seed)
      let moov = box("moov", Pattern.bytes(0..<index - 8, seed: seed + 100))
      return type + (isFront ? moov + box("mdat", pictures) : box("mdat", pictures) + moov)
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
      let count = content.count + 8
      return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + Array(type.utf8)
        + content
    }

    /// Serves films, of which these have their index in front, and mounts their feed.
    private func mount(
      _ count: Int, front: Set<Int> = [], by feed: any Drive, redirected: Bool = false
    ) throws {
      for number in 1...count {
        try feed.origin.put(
          Self.film(UInt64(number), isFront: front.contains(number)), at: "/film/\(number).mp4",
          type: "video/mp4", headers: ["ETag": "\"v\(number)\""])
      }
      try feed.serve(
        (1...count).map {
          PatternFile(
            name: "film\($0)", size: Self.size,
            url: feed.origin.url("/\(redirected ? "away" : "film")/\($0).mp4"))
        })
      if redirected {
        for number in 1...count {
          try feed.origin.fault(
            .redirect, below: "/away/\(number).mp4", ["to": feed.origin.url("/film/\(number).mp4")])
        }
      }
      try feed.origin.network(latency: .milliseconds(30), rate: 20_000_000)
      try feed.mount()
    }

    /// Looks at a film as a player does, and returns the ranges that it cost.
    private func look(_ number: Int, of feed: any Drive, isFront: Bool = false) throws -> [String] {
      let film = Self.film(UInt64(number), isFront: isFront)
      let opened = try feed.open(feed.path(number))
      let end = Self.size - Self.index..<Self.size
      for place in isFront ? [0..<4096] : [0..<4096, end.prefix(4096), end] {
        var bytes: [UInt8] = []
        while bytes.count < place.count {
          let next = try opened.read(place.dropFirst(bytes.count))
          guard !next.isEmpty else { break }
          bytes += next
        }
        #expect(bytes == Array(film[place]))
      }
      try feed.settle()
      return try feed.origin.log(below: "/film/\(number).mp4").map { $0.range ?? "" }
    }

    private func isSuffix(_ range: String) -> Bool { range.hasPrefix("bytes=-") }

    @Test(arguments: DriveKind.all)
    func theThirdFilmIsAskedForHeadAndTailAtOnceUntilOneHasItsIndexInFront(
      on drive: DriveKind
    ) throws {
      let feed = try drive.drive()
      try mount(7, front: [5], by: feed)
      for number in 1...2 {
        let asked = try look(number, of: feed)
        #expect(asked.count == 2 && !asked.contains(where: isSuffix), "\(asked)")
      }
      for number in 3...4 {
        let asked = try look(number, of: feed)
        #expect(asked.count == 2 && asked.contains(where: isSuffix), "\(asked)")
        let most = Figure.maxTail.bytes
        #expect(asked.filter(isSuffix).allSatisfy { Int($0.dropFirst(7)) ?? .max <= most })
      }
      let front = try look(5, of: feed, isFront: true)
      // On a busy machine its head comes before the other request is sent.
      #expect(front.count - front.count(where: isSuffix) == 1 && front.count <= 2, "\(front)")
      for number in 6...7 {
        let asked = try look(number, of: feed)
        #expect(asked.count == 2 && !asked.contains(where: isSuffix), "\(asked)")
      }
      // A film that was read costs nothing more.
      try feed.origin.reset()
      _ = try look(3, of: feed)
      #expect(try feed.origin.log(below: "/film/").isEmpty)
    }

    /// The second request of such a film would be redirected as well.
    @Test func filmsThatAreRedirectedMakeNoHabit() throws {
      let feed = try DriveKind.direct.drive()
      try mount(3, by: feed, redirected: true)
      for number in 1...3 {
        #expect(try !look(number, of: feed).contains(where: isSuffix))
      }
    }

    @Test(arguments: DriveKind.all)
    func aLaterMountKnowsIt(on drive: DriveKind) throws {
      let feed = try drive.drive()
      try mount(3, by: feed)
      for number in 1...2 { _ = try look(number, of: feed) }
      try feed.unmount()
      try feed.mount()
      let asked = try look(3, of: feed)
      #expect(asked.count == 2 && asked.contains(where: isSuffix), "\(asked)")
    }

    /// A wrong answer to a request for the end, and whether later films are asked so again.
    struct Wrong: CustomTestStringConvertible, Sendable {
      let fault: OriginFault
      var parameters: [String: String] = [:]
      var after: Int?
      /// Whether it is the end of a kept connection. Then libcurl sends the request over another one.
      var isOverKept = false
      /// Nil where that hangs on whether the connection was kept.
      var isAskedAgain: Bool? = false

      var testDescription: String { "\(fault)\(parameters)" }

      static let all = [
        Wrong(fault: .status200), Wrong(fault: .status200chunked),
        Wrong(fault: .wrongrange, parameters: ["value": "bytes 0-99/4194304"]),
        Wrong(fault: .norange), Wrong(fault: .status, parameters: ["code": "416"]),
        Wrong(fault: .status, parameters: ["code": "403"]),
        Wrong(fault: .status, parameters: ["code": "500"]), Wrong(fault: .html),
        Wrong(fault: .multipart), Wrong(fault: .gzip),
        Wrong(fault: .etag, parameters: ["value": "\"other\""]),
        Wrong(fault: .contentlength, parameters: ["value": "5"]),
        Wrong(fault: .reset, isOverKept: true, isAskedAgain: nil),
        Wrong(fault: .end, after: 20_000, isAskedAgain: true),
      ]
    }

    @Test(arguments: DriveKind.cases(direct: Wrong.all, kernel: Array(Wrong.all.prefix(2))))
    func aWrongAnswerGivesNoByteAndOneMoreRequest(on drive: DriveKind, wrong: Wrong) throws {
      let feed = try drive.drive()
      try mount(4, by: feed)
      for number in 1...2 { _ = try look(number, of: feed) }
      try feed.origin.fault(
        wrong.fault, below: "/film/3.mp4", times: 1, after: wrong.after,
        starts: 1 << 20..<Self.size, wrong.parameters)
      let asked = try look(3, of: feed)
      #expect(1...(wrong.isOverKept ? 2 : 1) ~= asked.filter(isSuffix).count, "\(asked)")
      // The bytes of an answer that broke off are compared.
      #expect(asked.count <= (wrong.after == nil ? 3 : 4), "\(asked)")
      // A whole body is cut off.
      let sent = try feed.origin.log(below: "/film/3.mp4").reduce(0) { $0 + $1.bytesSent }
      #expect(sent < Self.size)
      let next = try look(4, of: feed)
      let isAsked = next.contains(where: isSuffix)
      #expect(next.count == 2 && isAsked == wrong.isAskedAgain ?? isAsked, "\(next)")
    }

    @Test(.enabled(if: canMount && isInstalled("ffprobe"), "ffprobe is missing"))
    func aProbeOfTheThirdFilmAsksForTheEndAtOnceAndNotAgain() throws {
      let feed = try MountedFeed()
      try Clips.make(in: feed.media)
      let urls = (1...3).map { feed.origin.url("/files/2-back.mp4?\($0)") }
      try feed.serve(
        urls.enumerated().map {
          PatternFile(name: "film\($0.offset)", size: 0, announced: "0", url: $0.element)
        })
      try feed.mount()
      var told: [String] = []
      for number in 1...3 {
        try feed.origin.reset()
        let probe = try ChildProcess.run([
          "ffprobe", "-v", "error", "-show_entries", "format=duration:stream=codec_name", "-of",
          "csv=p=0", feed.path(number),
        ])
        #expect(probe.status == 0, "\(probe.err)")
        told.append(probe.out)
        try feed.settle()
        let asked = try feed.origin.log(below: "/files/")
        // The sizes of all films are asked for, but the end only once.
        let ends = asked.filter {
          isSuffix($0.range ?? "") || $0.askedFor?.lowerBound ?? 0 >= Figure.lookedFetch.bytes
        }
        #expect(ends.count == 1, "\(asked.map(\.range))")
        #expect(ends.contains { isSuffix($0.range ?? "") } == (number == 3))
        // The head goes on while its end is read.
        let rests = asked.filter { 1..<Figure.lookedFetch.bytes ~= $0.askedFor?.lowerBound ?? 0 }
        #expect(number < 3 || rests.isEmpty, "\(asked.map(\.range))")
      }
      #expect(Set(told).count == 1 && told[0].contains("mpeg4"))
    }
  }
}
