import TestSupport

/// A fault in the answers for a film, and the outcomes that a reader may see.
struct MatrixFault: Sendable {
  enum Outcome: Sendable {
    /// All bytes.
    case right
    /// An error after some right bytes.
    case fails
    case either
  }

  /// The bytes that a reader may get.
  enum Truth: Sendable {
    case first
    /// All bytes of one of two versions.
    case one
    /// Bytes of two versions that the origin calls one version.
    case mixed
    /// Misplaced bytes, until an answer that broke off is compared. Later readers get the right
    /// bytes.
    case compared
  }

  let name: String
  let kind: OriginFault
  var parameters: [String: String] = [:]
  /// The length that the feed claims for the film, if not the true one.
  var announced: String?
  /// True when the fault happens in the body, not before the head.
  var isInBody = false
  /// The outcome while the fault stays, and when it passes by itself after one answer or three.
  var staying: Outcome = .fails
  var passing: Outcome = .right
  var truth = Truth.first
  /// Whether a reader gets everything within some seconds after the fault has gone.
  var recovers = true
  /// The most requests that one reader may cost: answers may bring nothing eight times, and a film
  /// without faults costs four.
  var maxRequests = 14

  init(_ name: String, _ kind: OriginFault, _ parameters: [String: String] = [:]) {
    self.name = name
    self.kind = kind
    self.parameters = parameters
  }

  /// Whether the reader must meet the fault in an answer. The other faults must not be met: the
  /// length that a feed claims is no answer of the origin, and HEAD is never asked.
  var isServed: Bool { kind != .headlies }

  /// Whether the fault is a verdict on an address where nothing is proved yet: an error at once,
  /// after so many requests, and no further request for ten minutes.
  var isRefusal: Bool {
    switch kind {
    case .wrongrange: parameters["value"]?.hasSuffix("/{length+1}") == false
    case .tworanges: parameters["value"] == "bytes 0-0/{length}"
    case .norange, .multipart, .gzip, .html, .html206: true
    case .status: ["204", "304", "418"].contains(parameters["code"])
    default: false
    }
  }

  /// The answers that lead to such a verdict. A part without a total is asked for without a range.
  var refusedAnswers: Int { parameters["value"]?.hasSuffix("/*") == true ? 2 : 1 }

  func with(_ change: (inout MatrixFault) -> Void) -> MatrixFault {
    var changed = self
    change(&changed)
    return changed
  }
}

/// The place of the fault in a film of 1 MiB: in the first fetch, or behind it.
enum MatrixPlace: Int, CaseIterable, Sendable {
  case start = 0
  /// In the middle of a block.
  case block = 700_000
  case edge = 655_360
  case end = 1_048_575
}

/// The number of answers that have the fault.
enum MatrixStay: Int, CaseIterable, Sendable {
  case once = 1
  case thrice = 3
  case forever = -1
}
