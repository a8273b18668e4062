import Addresses
import Blocks
import TestSupport
import Testing

@testable import HTTP

/// A server whose answers a test writes, and a client that asks it as a transfer does, without a network.
struct WordyServer {
  /// A request, as the server sees it.
  struct Asked: Sendable {
    /// The asked range within the film; nil if there is none.
    let range: ByteRange?
    /// True if the range reaches beyond the film's end.
    let isBeyond: Bool
    let ifRange: String?
    /// The number of requests before this one.
    let number: Int
  }

  /// An answer: the status, the fields, and the body.
  struct Reply: Sendable {
    var status: Int
    var fields: [(String, String)]
    var body: [UInt8]

    func with(_ fields: (String, String)...) -> Reply {
      var other = self
      for field in fields {
        other.fields.removeAll { $0.0 == field.0 }
        other.fields.append(field)
      }
      return other
    }

    func without(_ name: String) -> Reply {
      var other = self
      other.fields.removeAll { $0.0 == name }
      return other
    }

    func status(_ status: Int) -> Reply {
      var other = self
      other.status = status
      return other
    }
  }

  /// The outcome of one request of the client.
  struct Outcome {
    let end: TransferEnd
    let bytes: [UInt8]
    let answer: AcceptedAnswer?
    let requests: [[String]]
  }

  static let tag = "\"v1\""
  static let length = 300_000
  static let film: [UInt8] =
    [0, 0, 0, 0x20] + Array("ftypisom".utf8) + Pattern.bytes(12..<length, seed: 3)
  static let found = Representation(length: length, validator: .entityTag(tag))

  /// Returns an honest part of the film.
  static func part(_ bytes: ByteRange) -> Reply {
    Reply(
      status: 206,
      fields: [
        ("Content-Type", "video/mp4"), ("ETag", tag), ("Content-Length", "\(bytes.count)"),
        ("Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(length)"),
      ], body: Array(film[bytes]))
  }

  static var whole: Reply {
    Reply(
      status: 200,
      fields: [("Content-Type", "video/mp4"), ("ETag", tag), ("Content-Length", "\(length)")],
      body: film)
  }

  /// Carries `request` out. The requests of one test share `manners`.
  ///
  /// - Parameter most: the requests after which the run ends as cancelled.
  static func run(
    _ request: RangeRequest, _ manners: inout Manners, most: Int = 40,
    answering: (Asked) -> Reply
  ) throws -> Outcome {
    let sink = RecordingSink()
    let exchange = RangeExchange(request, sink)
    let url = try WebAddress(parsing: request.url)
    var requests: [[String]] = []
    var end = TransferEnd.cancelled
    while requests.count < most {
      let question = exchange.question(for: manners.manner(of: url.origin, at: request.url))
      let fields = question.fields
      let reply = answering(asked(fields, requests.count))
      requests.append(fields)
      end = play(reply, to: question, of: exchange, at: url)
      for lesson in exchange.takeLessons() {
        manners.learn(lesson, of: url.origin, at: request.url)
      }
      guard exchange.asksAgain(after: end) else { break }
    }
    exchange.ended(end)
    return Outcome(
      end: sink.ends.first ?? end, bytes: sink.bytes, answer: sink.answer, requests: requests)
  }

  private static func play(
    _ reply: Reply, to question: Question, of exchange: RangeExchange, at url: WebAddress
  ) -> TransferEnd {
    var head = ResponseHead(status: reply.status)
    for (name, value) in reply.fields { head.add(name, value) }
    let place = AnswerPlace(url: url, isPermanent: false)
    if let end = exchange.judge(head, to: question, at: place) { return end }
    var rest = reply.body[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(16_000))
      rest = rest.dropFirst(16_000)
      if let end = exchange.take(piece.span.bytes) { return end }
    }
    return exchange.bodyEnded()
  }

  private static func asked(_ fields: [String], _ number: Int) -> Asked {
    let text = fields.first { $0.hasPrefix("Range: bytes=") }?.dropFirst(13) ?? ""
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    var range: ByteRange?
    var isBeyond = false
    if ends.count == 2, let first = ends[0] {
      let last = ends[1] ?? length - 1
      isBeyond = last >= length
      if first < length, first <= last { range = first..<min(last + 1, length) }
    }
    let ifRange = fields.first { $0.hasPrefix("If-Range: ") }.map { String($0.dropFirst(10)) }
    return Asked(range: range, isBeyond: isBeyond, ifRange: ifRange, number: number)
  }
}

/// One way in which a server answers, by name.
struct Wording: CustomTestStringConvertible, Sendable {
  let name: String
  let answer: @Sendable (WordyServer.Asked) -> WordyServer.Reply

  init(_ name: String, _ answer: @escaping @Sendable (WordyServer.Asked) -> WordyServer.Reply) {
    self.name = name
    self.answer = answer
  }

  var testDescription: String { name }

  /// A server that sends honest parts, which `change` changes.
  static func parts(
    _ name: String, _ change: @escaping @Sendable (WordyServer.Reply) -> WordyServer.Reply
  ) -> Wording {
    Wording(name) { asked in
      change(asked.range.map(WordyServer.part) ?? WordyServer.whole)
    }
  }

  /// A server that sends other bytes than those asked for, with an honest Content-Range.
  static func ranges(
    _ name: String, _ change: @escaping @Sendable (ByteRange) -> ByteRange
  ) -> Wording {
    Wording(name) { asked in
      guard let range = asked.range else { return WordyServer.whole }
      return WordyServer.part(change(range).clamped(to: 0..<WordyServer.length))
    }
  }
}
