import Blocks

/// Decides what a range request asks of its server, question after question.
///
/// A value that only decides, without side effects. One range request can need several questions:
/// for the rest of a range, without If-Range, or for the first bytes of a body whose media type
/// says that it is neither video nor audio. Their number is bounded: each rest is shorter than the
/// rest before, and every other `Step` is taken at most once.
struct RangeCourse {
  /// The reason why an answer leads to a further question, or `none` if it leads to none.
  enum Step: Hashable {
    /// There is no further question: the answer is taken, or ends the request.
    case none
    /// The rest of a range of which only a part came.
    case rest
    case withoutIfRange
    /// The part of the range within the length that a 416 has given.
    case withinLength
    /// The first bytes, because the media type of an answer says that it is neither video nor
    /// audio.
    case beginning
    /// All bytes from the first wanted byte on, because the total that an answer stated is perhaps
    /// only the end of its part.
    case open
    /// The whole representation, without a Range, because the answers with parts do not state its
    /// length.
    case all
  }

  let request: RangeRequest
  /// The expected version, or else the version that the answers have proved; nil if none is known.
  private(set) var expected: Representation?
  /// The bytes that are still wanted.
  private(set) var range: RequestedRange
  /// The request to which the last answer belongs.
  private(set) var asked: RangeRequest
  private(set) var manner = Manner()
  private(set) var lessons: [Manner.Lesson] = []
  private var done: Set<Step> = []
  /// True while the first bytes are asked for.
  private(set) var isAtBeginning = false
  /// The number of answers in a row that brought fewer than `Manner.minBytes`.
  private var smallAnswers = 0

  init(_ request: RangeRequest) {
    self.request = request
    expected = request.expected
    range = request.range
    asked = request
  }

  /// Returns the next request, given the known manner of the server.
  func question(for manner: Manner) -> RangeRequest {
    guard !request.isCheck else { return request }
    let leavesOut = done.contains(.withoutIfRange) || manner.failsAtIfRange || isAtBeginning
    let next = request.asking(
      for: isAtBeginning ? .bytes(0..<BodyKind.head) : cut(for: manner), of: expected,
      ifRange: !leavesOut)
    return done.contains(.all) && !isAtBeginning ? next.askingForAll() : next
  }

  /// Returns the part of the range that one request to a server of this manner asks for.
  private func cut(for manner: Manner) -> RequestedRange {
    guard case .bytes(let bytes) = range else { return range }
    if done.contains(.open), expected == nil { return .from(bytes.lowerBound) }
    guard let most = manner.maxBytes else { return range }
    return .bytes(bytes.prefix(max(most, Manner.minBytes)))
  }

  /// Notes which request is answered now, and for which manner it was made. Several requests for
  /// the same bytes, with different header lines, can be on their way at once.
  mutating func answered(_ asked: RangeRequest, by manner: Manner) {
    var manner = manner
    manner.provedType = self.manner.provedType ?? manner.provedType
    (self.asked, self.manner) = (asked, manner)
  }

  mutating func takeLessons() -> [Manner.Lesson] {
    defer { lessons = [] }
    return lessons
  }

  mutating func learn(_ lesson: Manner.Lesson) {
    lessons.append(lesson)
    if case .proved(let type) = lesson { manner.provedType = type }
  }

  // MARK: Answers

  /// Returns the verdict on a head, given the bytes that are still wanted.
  func verdict(of head: ResponseHead) -> ResponseCheck.Verdict {
    let whole = isAtBeginning ? asked : asked.asking(for: range, of: expected, ifRange: true)
    return ResponseCheck.verdict(of: head, for: whole)
  }

  /// Returns the step that follows an answer with the whole representation instead of a range.
  mutating func next(afterWhole found: Representation) -> Step {
    guard range.bytes(of: found.length) != 0..<found.length, !done.contains(.all),
      !request.asksOnce
    else { return .none }
    if done.contains(.withoutIfRange) || !asked.namesVersion {
      // An answer with the whole is right if the range covers all of it.
      if asked.range.bytes(of: found.length) != 0..<found.length { learn(.hasNoRanges) }
      return .none
    }
    guard request.continued == nil, !manner.hasNoRanges else { return .none }
    done.insert(.withoutIfRange)
    return .withoutIfRange
  }

  /// Returns the step that follows a 416. `length` is the length of the whole; nil if the answer
  /// does not state it.
  mutating func next(afterUnsatisfied length: Int?) -> Step {
    guard let length, length > 0, expected == nil, request.continued == nil, !isAtBeginning,
      !request.asksOnce,
      let within = range.bytes(of: length), .bytes(within) != range,
      done.insert(.withinLength).inserted
    else { return .none }
    range = .bytes(within)
    return .withinLength
  }

  /// Returns the step that follows a first answer, which states `length` as the total.
  ///
  /// Some servers state the end of the requested part as the total. A range without an end shows
  /// the true total. A true total is seldom a whole number of KiB, so only a total that is one is
  /// checked by another request.
  mutating func next(afterTotal length: Int) -> Step {
    guard request.expected == nil, expected == nil, request.continued == nil, !isAtBeginning,
      case .bytes(let bytes) = asked.range, bytes == 0..<length, length.isMultiple(of: 1024),
      done.insert(.open).inserted
    else { return .none }
    return .open
  }

  /// Returns the step that follows an answer with a part that does not state the length of the
  /// whole.
  mutating func nextWithoutTotal() -> Step {
    guard !request.isCheck, request.continued == nil, !isAtBeginning, !request.asksOnce,
      done.insert(.all).inserted
    else { return .none }
    return .all
  }

  /// Returns the step that follows an answer whose media type says that it is neither video nor
  /// audio, and whose bytes cannot show it. Returns nil if the answer has to be refused.
  mutating func next(afterType type: String) -> Step? {
    if let proved = manner.provedType { return proved == type ? Step.none : nil }
    guard !request.asksOnce, done.insert(.beginning).inserted else { return nil }
    isAtBeginning = true
    return .beginning
  }

  /// Notes that the first bytes of the body were judged.
  mutating func beginningCame() { isAtBeginning = false }

  /// Notes an accepted part, and returns the fault if it brings too few bytes.
  ///
  /// - Parameter wanted: the bytes that are still wanted; `bytes` contains the first of them.
  mutating func accept(
    _ bytes: ByteRange, of found: Representation, wanted: ByteRange
  ) -> ResponseFault? {
    expected = found
    if done.contains(.withoutIfRange), !asked.hasIfRange, !manner.failsAtIfRange {
      learn(.failsAtIfRange)
    }
    let end = asked.range.bytes(of: found.length)?.upperBound ?? wanted.upperBound
    let isShort = bytes.upperBound < min(end, wanted.upperBound)
    let brought = bytes.upperBound - wanted.lowerBound
    if brought >= Manner.minBytes, manner.isStingy { learn(.generous) }
    guard isShort, brought < Manner.minBytes else {
      smallAnswers = 0
      if isShort { learn(.short(brought)) }
      return nil
    }
    // A single small answer is no proof: perhaps it ends where a block of the server ends.
    smallAnswers += 1
    guard smallAnswers > 1 || manner.isStingy else { return nil }
    learn(.stingy)
    return .contentRange(
      "the origin sends only \(brought) bytes per request, and feedfs needs at least \(Manner.minBytes)"
    )
  }

  /// Returns the step that follows an answer that has ended.
  ///
  /// - Parameter missing: the wanted bytes that have not come.
  mutating func next(missing: ByteRange) -> Step {
    guard !missing.isEmpty, case .some = expected, !request.asksOnce else { return .none }
    range = .bytes(missing)
    return .rest
  }
}
