import TestSupport

/// One way in which the answers for a film are wrong, and what a reader may see of it.
struct MatrixFault: Sendable {
  enum Outcome: Sendable {
    /// All bytes.
    case right
    /// An error behind some right bytes.
    case fails
    case either
  }

  /// Whose bytes a reader may get.
  enum Truth: Sendable {
    case first
    /// Of one of two versions, all of it.
    case one
    /// The origin says that they are one version: of both.
    case mixed
    /// Of another place, until an answer that broke off was compared: who comes then gets what is right.
    case compared
  }

  let name: String
  let kind: OriginFault
  var parameters: [String: String] = [:]
  /// What the feed says of the film's length, if not what is true.
  var announced: String?
  /// It happens in the body, not before the head.
  var isInBody = false
  /// While it is there, and when it passes by itself after one answer or three.
  var staying: Outcome = .fails
  var passing: Outcome = .right
  var truth = Truth.first
  /// Whether a reader gets all within some seconds after it has gone.
  var recovers = true
  /// Requests that one reader may cost at most: answered ones bring nothing eight times, and a film
  /// that is well costs four.
  var mostRequests = 14

  init(_ name: String, _ kind: OriginFault, _ parameters: [String: String] = [:]) {
    self.name = name
    self.kind = kind
    self.parameters = parameters
  }

  /// Whether the reader comes across it in an answer. The others need not be met: what the feed says of a
  /// film's length is not an answer of its origin, and an answer to HEAD is one that nobody asks for, so
  /// that it must not be met.
  var isServed: Bool { kind != .headlies }

  /// Whether it is a verdict on the address as long as nothing was proved there: an error at once, after one
  /// request, and none at all for ten minutes.
  var isRefusal: Bool {
    switch kind {
    case .wrongrange: parameters["value"]?.hasSuffix("/{length+1}") == false
    case .norange, .tworanges, .status200chunked, .multipart, .gzip, .html, .html206: true
    case .status: ["204", "304", "418"].contains(parameters["code"])
    default: false
    }
  }

  func with(_ change: (inout MatrixFault) -> Void) -> MatrixFault {
    var changed = self
    change(&changed)
    return changed
  }
}

/// Where in a film of 1 MiB it happens: all in what is asked for first, or behind it.
enum MatrixPlace: Int, CaseIterable, Sendable {
  case start = 0
  /// In the middle of a block.
  case block = 700_000
  case edge = 655_360
  case end = 1_048_575
}

/// For how many answers.
enum MatrixStay: Int, CaseIterable, Sendable {
  case once = 1
  case thrice = 3
  case forever = -1
}
