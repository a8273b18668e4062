import Blocks
import TestSupport

@testable import HTTP

/// The origin's resources, and how it answers.
struct SimulatedOrigin {
  /// The ways in which the origin can misbehave, until the fault is cleared.
  enum Fault: CaseIterable {
    /// No byte comes; at most the transfer ends as unanswered.
    case silence
    /// A proxy that skips the rest of a slice that was cut.
    case slices
    case unanswered, breaks, shortBody, longBody, gone, busy, serverError, portal, wholeBodies
    case garbledRange, otherRange, noRange, coding, falseUnsatisfiable
    /// A node that names the same bytes by another tag.
    case otherTag
  }

  /// The ways to send a body without a length.
  enum Framing {
    case chunks, close
  }

  var fault: Fault?
  /// How films come if no length is told, nor any range; nil: their lengths are told.
  var framing: Framing?
  /// The current version of each resource.
  var versions = [Int](repeating: 0, count: Resource.all.count)
  /// The oldest token that is valid: addresses with an older one have expired.
  var oldestToken = 0

  func body(_ resource: Int) -> Body {
    Resource.all[resource].versions[versions[resource]]
  }

  /// Returns what lies at an address, as far as it can be asked for by ranges.
  private func body(at place: Address) -> Body {
    guard let segment = place.segment else { return body(place.resource) }
    return Resource.all[place.resource].segments[versions[place.resource]][segment]
  }

  /// Returns the version that an answer with `body` proves.
  func representation(of body: Body) -> Representation {
    guard fault == .otherTag else { return body.representation }
    return Representation(length: body.bytes.count, validator: .entityTag(body.otherTag))
  }

  /// Returns the head of the answer, and the bytes of its body.
  func answer(
    _ request: RangeRequest, _ random: inout SeededRandom
  ) -> (head: ResponseHead, body: Body, bytes: ByteRange) {
    guard let place = Address(request.url) else {
      return (ResponseHead(status: 404), body(0), 0..<0)
    }
    let body = body(at: place)
    let length = body.bytes.count
    if let head = failure(of: place, random: &random) { return (head, body, 0..<0) }
    if request.isCheck
      && isNamed(body.validator, in: request, "If-None-Match: ", "If-Modified-Since: ")
    {
      return (head(304, body, [:]), body, 0..<0)
    }
    if let framing, place.segment == nil {
      let fields = framing == .chunks ? ["Transfer-Encoding": "chunked"] : [:] as KeyValuePairs
      return (head(200, body, fields), body, 0..<length)
    }
    let isMeant =
      !request.namesVersion || isNamed(body.validator, in: request, "If-Range: ", "If-Range: ")
    guard isMeant, fault != .wholeBodies, case .bytes(let asked) = request.range else {
      return (head(200, body, ["Content-Length": "\(length)"]), body, 0..<length)
    }
    guard asked.lowerBound < length, fault != .falseUnsatisfiable else {
      return (head(416, body, ["Content-Range": "bytes */\(length)"]), body, 0..<0)
    }
    let bytes = asked.clamped(to: 0..<length)
    return (partial(body, bytes), body, bytes)
  }

  /// Returns the answer to a request for the playlist of a stream; nil: there is none.
  func playlist(at place: Address) -> SimulatedWeb.DocumentAnswer? {
    var random = SeededRandom(seed: UInt64(place.serial))
    switch fault {
    case .silence, .unanswered: return nil
    case .portal:
      return (ResponseHead(status: 200, ["Content-Type": "text/html"]), Array("<html>".utf8))
    default:
      if let head = failure(of: place, random: &random) { return (head, []) }
      let text = SoundStream.playlist { segment in
        Address(
          resource: place.resource, serial: place.serial, token: place.token, segment: segment
        ).url
      }
      let head = ResponseHead(status: 200, ["Content-Type": "application/vnd.apple.mpegurl"])
      return (head, Array(text.utf8))
    }
  }

  private func partial(_ body: Body, _ bytes: ByteRange) -> ResponseHead {
    let range = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(body.bytes.count)"
    return switch fault {
    case .garbledRange: head(206, body, ["Content-Range": "bytes \(bytes.lowerBound)-/*"])
    case .otherRange:
      head(
        206, body,
        [
          "Content-Range":
            "bytes \(bytes.lowerBound + 1)-\(bytes.upperBound)/\(body.bytes.count + 1)"
        ])
    case .noRange: head(206, body, [:])
    default: head(206, body, ["Content-Range": range, "Content-Length": "\(bytes.count)"])
    }
  }

  private func failure(of place: Address, random: inout SeededRandom) -> ResponseHead? {
    if place.token < oldestToken { return ResponseHead(status: 403) }
    switch fault {
    case .gone: return ResponseHead(status: 404)
    case .busy:
      let seconds = random.below(20)
      return ResponseHead(status: 503, ["Retry-After": "\(seconds)"])
    case .serverError: return ResponseHead(status: 500)
    case .portal:
      return ResponseHead(status: 200, ["Content-Type": "text/html", "Content-Length": "9"])
    default: return nil
    }
  }

  private func head(
    _ status: Int, _ body: Body, _ fields: KeyValuePairs<String, String>
  ) -> ResponseHead {
    var head = ResponseHead(status: status, fields)
    head.add("Content-Type", "video/mp4")
    head.add("Cache-Control", "max-age=30")
    if fault == .coding { head.add("Content-Encoding", "gzip") }
    if fault == .otherTag {
      head.add("ETag", body.otherTag)
      head.add("Last-Modified", body.date)
      return head
    }
    switch body.validator {
    case .entityTag(let tag):
      head.add("ETag", tag)
      // Where tags do not count, this alone tells its versions apart.
      head.add("Last-Modified", body.date)
    case .lastModified(let date): head.add("Last-Modified", date)
    case .none: break
    }
    return head
  }

  private func isNamed(
    _ validator: Validator, in request: RangeRequest, _ tagField: String, _ dateField: String
  ) -> Bool {
    switch validator {
    case .entityTag(let tag): request.fields.contains(tagField + tag)
    case .lastModified(let date): request.fields.contains(dateField + date)
    case .none: false
    }
  }
}

/// An address of the origin: `http://o.example/r<resource>/<serial>.mp4?t=<token>`. That of a stream
/// is `….m3u8?t=…`, and those of its segments are `…/<segment>.aac?t=…`.
struct Address {
  let resource: Int
  let serial: Int
  let token: Int
  /// The number of a segment of a stream.
  let segment: Int?

  init(resource: Int, serial: Int, token: Int, segment: Int? = nil) {
    self.resource = resource
    self.serial = serial
    self.token = token
    self.segment = segment
  }

  init?(_ url: String) {
    let words = url.split { !$0.isNumber }.compactMap { Int($0) }
    guard words.count >= 4, let token = words.last else { return nil }
    // The extensions "mp4" and "m3u8" contain numbers, too.
    let segment = url.contains(".aac") ? words[2] : nil
    self.init(resource: words[0], serial: words[1], token: token, segment: segment)
  }

  var isStream: Bool { Resource.all[resource].isStream }

  var url: String {
    let start = "http://o.example/r\(resource)/\(serial)"
    if let segment { return "\(start)/\(segment).aac?t=\(token)" }
    return "\(start).\(isStream ? "m3u8" : "mp4")?t=\(token)"
  }
}
