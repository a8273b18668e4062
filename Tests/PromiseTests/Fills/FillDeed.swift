import TestSupport

/// The deed in the midst of which a mount is stopped.
enum FillDeed: CaseIterable, Sendable {
  /// One connection brings one file.
  case lane
  /// Several connections bring one file.
  case lanes
  /// Three readers bring three files.
  case threeFiles
  /// Files that were read to their end are closed, and opened again.
  case closing
  /// The user clears two complete files while a third one is filled.
  case clearing
  /// The user clears the file that is filled. It begins anew.
  case beginningAnew
  /// The cache is full: the files that were played before are punched.
  case evicting
  /// The line is slow, so written bytes are flushed while others come.
  case flushing

  /// The files of the feed, in its order.
  static let files: [PatternFile] = {
    let sizes = [8 << 20 + 12_345, 2 << 20, 2 << 20 + 1, 700_000, 12 * 65_536 - 1]
    return sizes.enumerated().map { index, size in
      PatternFile(name: "f\(index)", size: size, seed: UInt64(index + 1))
    }
  }()

  /// The numbers of the files that each reader reads, one after the other.
  var readers: [[Int]] {
    switch self {
    case .lane, .lanes, .clearing, .beginningAnew, .flushing: [[1]]
    case .threeFiles: [[1], [2], [3]]
    case .closing: [[4, 5, 4, 5, 2, 4]]
    case .evicting: [[1, 2, 3, 5, 1]]
    }
  }

  /// The numbers of the files that were read to their end before.
  var readBefore: [Int] { self == .clearing ? [4, 5] : [] }

  /// The numbers of the files that the user clears.
  var cleared: [Int] {
    switch self {
    case .clearing: [4, 5]
    case .beginningAnew: [1]
    default: []
    }
  }

  var options: [String] {
    ["--min-free", "0"] + (self == .evicting ? ["--cache-size", "10M"] : [])
  }

  /// Whether all bytes that came stay cached.
  var keepsAll: Bool { cleared.isEmpty && self != .evicting }

  /// Bytes a second of one connection. All connections together bring 100 MB/s at most.
  var rate: Int {
    switch self {
    case .lanes: 25_000_000
    case .threeFiles: 33_000_000
    case .flushing: 3_000_000
    default: 100_000_000
    }
  }

  /// Returns the `index`-th of `count` moments. Every other one counts bytes, the others time.
  func moment(_ index: Int, of count: Int) -> StopMoment {
    let share = (Double(index) + 0.5) / Double(count)
    guard index % 2 == 0 else { return .time(start + (end - start) * share) }
    return .bytes(Int(Double(bytes.lowerBound) + Double(bytes.count) * share))
  }

  /// Bytes that have come from the origin when the mount is stopped.
  private var bytes: Range<Int> {
    switch self {
    case .lane, .lanes, .clearing: 1..<(8 << 20)
    case .beginningAnew: 1 << 20..<8 << 20
    case .threeFiles: 1..<(12 << 20)
    case .closing: 1..<(2 << 20)
    case .evicting: 6 << 20..<12 << 20
    case .flushing: 3 << 20..<7 << 20
    }
  }

  /// The time from the start of the readers, or of the user's command, to the first moment.
  private var start: Duration { self == .flushing ? .milliseconds(900) : .zero }

  /// The time to the last moment.
  private var end: Duration {
    switch self {
    case .lane, .beginningAnew: .milliseconds(120)
    case .lanes: .milliseconds(250)
    case .threeFiles: .milliseconds(350)
    case .closing, .evicting: .milliseconds(200)
    case .clearing: .milliseconds(40)
    case .flushing: .milliseconds(2400)
    }
  }
}

/// The moment at which a mount is stopped.
enum StopMoment: Sendable, CustomStringConvertible {
  /// So many bytes have come from the origin.
  case bytes(Int)
  /// So much time has passed since the deed began.
  case time(Duration)

  var description: String {
    switch self {
    case .bytes(let count): "after \(count) bytes"
    case .time(let time): "after \(Int(time / .milliseconds(1))) ms"
    }
  }
}
