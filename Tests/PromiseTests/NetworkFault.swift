import TestSupport

/// A fault of the network between the daemon and an origin.
enum NetworkFault: String, CaseIterable, Sendable {
  /// Packets that vanish, all of them or some.
  case blackhole, twentiethLost, thirdLost
  case refused, unreachable
  case linkDown
  /// After some bytes nothing passes, or connections are reset.
  case quota, quotaWithReset
  case noNameServer, silentNameServer, noSuchName

  enum Moment: CaseIterable, Sendable {
    case beforeReading, whileReading
  }

  /// The moments when the fault can begin. Names are asked for once.
  var moments: [Moment] {
    switch self {
    case .noNameServer, .silentNameServer, .noSuchName: [.beforeReading]
    default: Moment.allCases
    }
  }

  /// Whether bytes may pass in spite of the fault.
  var isLeaky: Bool {
    switch self {
    case .twentiethLost, .thirdLost, .quota, .quotaWithReset: true
    default: false
    }
  }

  /// Whether a reader that goes on always notices the fault.
  var isSeen: Bool { self != .twentiethLost && self != .thirdLost }

  func begin(in network: TestNetwork) throws {
    switch self {
    case .blackhole: try network.filter("drop")
    case .twentiethLost: try network.filter("numgen random mod 100 < 5 drop")
    case .thirdLost: try network.filter("numgen random mod 100 < 33 drop")
    case .refused: try network.filter("meta l4proto tcp reject with tcp reset")
    case .unreachable: try network.filter("reject with icmp type host-unreachable")
    case .linkDown: try network.setLink(up: false)
    case .quota: try network.filter("quota over 300 kbytes drop")
    case .quotaWithReset:
      try network.filter("quota over 300 kbytes meta l4proto tcp reject with tcp reset")
    case .noNameServer: network.stopNames()
    case .silentNameServer: network.freezeNames()
    case .noSuchName: try network.answerNames(known: false)
    }
  }

  func end(in network: TestNetwork) throws {
    try network.letAllPass()
    try network.setLink(up: true)
    if moments.count == 1 { try network.answerNames(known: true) }
  }
}
