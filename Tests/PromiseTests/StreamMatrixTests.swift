import TestSupport
import Testing

extension Promises {
  /// Faults in each kind of document of a stream: playlists, manifests, keys, heads, indexes and
  /// segments.
  ///
  /// A reader gets right bytes or an error, and in time. After the fault, all can be read again.
  @Suite(
    .timeLimit(.minutes(8)), .enabled(if: canMount && isInstalled("ffmpeg"), "ffmpeg is missing"))
  struct StreamMatrixTests {
    /// A document of a stream; `share` is the place of the fault in a file that is read by ranges.
    struct Document: Sendable, CustomTestStringConvertible {
      let name: String
      var share: Double?
      /// Whether the film has a gap in its place if it is not there.
      var isSegment = false

      var testDescription: String { name + (share.map { " at \($0)" } ?? "") }
    }

    struct Fault: Sendable {
      let name: String
      let kind: OriginFault
      var parameters: [String: String] = [:]
      /// Whether it is an answer that cannot pass: the address is not asked again for a while.
      var isVerdict = false
      /// Whether a reader may get all bytes while it lasts.
      var isHarmless = false
    }

    /// A document, and the answers to it that have a fault; -1: all of them.
    struct Trial: Sendable, CustomTestStringConvertible {
      let shape: StreamShape
      let document: Document
      let times: Int

      var testDescription: String { "\(shape.name) \(document.testDescription) × \(times)" }
    }

    static let documents: [(shape: StreamShape, documents: [Document])] = [
      (
        .encrypted,
        [
          .init(name: "v.m3u8"), .init(name: "k.key"), .init(name: "s0002.ts", isSegment: true),
        ]
      ),
      (
        .group,
        [
          .init(name: "m.m3u8"), .init(name: "1.m3u8"), .init(name: "init1.mp4"),
          .init(name: "1-0002.m4s", isSegment: true),
        ]
      ),
      (
        .timeline,
        [
          .init(name: "m.mpd"), .init(name: "init-stream0.m4s"),
          .init(name: "chunk-stream0-00002.m4s", isSegment: true),
        ]
      ),
      (.pair, [.init(name: "v.mp4", share: 0), .init(name: "v.mp4", share: 0.7)]),
      (.webm, [.init(name: "a.webm", share: 0), .init(name: "v.webm", share: 0.7)]),
    ]

    static let trials = documents.flatMap { shape, documents in
      documents.flatMap { document in
        [1, -1].map { Trial(shape: shape, document: document, times: $0) }
      }
    }

    /// Requests of one reader that may meet a fault: eight tries, each a loop of 21 redirects at most.
    private static let maxRequests = 8 * 21

    static let faults = [
      Fault(name: "404", kind: .status, parameters: ["code": "404"], isVerdict: true),
      Fault(name: "403", kind: .status, parameters: ["code": "403"], isVerdict: true),
      Fault(name: "500", kind: .status, parameters: ["code": "500"]),
      Fault(name: "503", kind: .status, parameters: ["code": "503", "retry_after": "1"]),
      Fault(name: "html", kind: .html, isVerdict: true),
      Fault(name: "html206", kind: .html206, isVerdict: true),
      Fault(name: "short", kind: .short, parameters: ["by": "100"], isHarmless: true),
      Fault(name: "end", kind: .end), Fault(name: "reset", kind: .reset),
      Fault(name: "stall", kind: .stall), Fault(name: "garbage", kind: .garbage),
      // A text that is called gzip and is plain is read.
      Fault(name: "br", kind: .gzip, parameters: ["value": "br"], isVerdict: true),
      Fault(
        name: "private", kind: .redirect, parameters: ["hops": "1", "to": "http://10.0.0.1/x"],
        isVerdict: true),
      Fault(name: "loop", kind: .redirect, isVerdict: true),
      Fault(name: "whole", kind: .status200, isHarmless: true),
      Fault(name: "chunked", kind: .chunked, isHarmless: true),
    ]

    /// A run tries a third of the documents with all faults; a full count tries all.
    @Test(arguments: Scale.cases(trials.count / 3, of: trials))
    func whateverADocumentIsAnsweredNoByteIsWrongAndNobodyHangs(_ trial: Trial) throws {
      let (document, times) = (trial.document, trial.times)
      // A page is resolved for each pair, and a site is asked for so many at most.
      let most = trial.shape.entry.count > 1 ? 8 : Self.faults.count
      for start in stride(from: 0, to: Self.faults.count, by: most) {
        let faults = Self.faults[start..<min(start + most, Self.faults.count)]
        let stream = try StreamFeed(trial.shape, films: faults.count)
        let truth = try stream.truth()
        let feed = stream.feed
        let offset = try document.share.map { share in
          Int(share * Double(try feed.look(at: feed.media + "/film1/" + document.name).size))
        }
        for (index, fault) in faults.enumerated() {
          try feed.origin.fault(
            fault.kind, below: stream.path(document.name, of: index + 1), times: times,
            offset: offset, fault.parameters)
        }
        try stream.mount(options: ["--read-timeout", "4"])
        let readers = try faults.indices.map {
          try ChildProcess(["cat", stream.film($0 - start + 1)])
        }
        for (index, (fault, reader)) in zip(faults, readers).enumerated() {
          let what = "\(fault.name), \(trial.testDescription)"
          let status = reader.wait(timeout: .seconds(60))
          let bytes = reader.output.bytes
          if fault.name == "404", times == -1, document.isSegment {
            #expect(status == 0 && bytes.count < truth.count, "\(what)")
            continue
          }
          let isRight = truth.starts(with: bytes)
          #expect(isRight, "wrong bytes: \(what)")
          let isWhole = bytes.count == truth.count
          let isTold = status == 0 ? isWhole : saidError(reader)
          #expect(isTold, "ended with \(status ?? -1): \(what)")
          if times == 1, !fault.isVerdict { #expect(status == 0, "\(what)") }
          if times == -1, !fault.isHarmless { #expect(status == 1, "\(what)") }
          let path = stream.path(document.name, of: index + 1)
          let met = try feed.origin.log(below: path).count { $0.fault != nil }
          if !fault.isHarmless { #expect(met <= Self.maxRequests, "\(met) requests: \(what)") }
          print("case \(what): status \(status ?? -1), \(bytes.count) bytes, \(met) met")
        }
        try feed.origin.clear()
        // A refused address is not asked again for ten minutes.
        for (index, fault) in faults.enumerated() where !fault.isVerdict {
          let becomesRight = eventually(within: .seconds(20)) {
            (try? feed.bytes(of: stream.film(index + 1)) == truth) ?? false
          }
          #expect(becomesRight, "afterwards: \(fault.name), \(trial.testDescription)")
        }
        #expect(try feed.process.isRunning)
      }
    }
  }
}
