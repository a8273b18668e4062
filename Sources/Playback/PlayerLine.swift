import FoundationEssentials

/// A message of mpv, as a line of JSON (mpv(1), "JSON IPC").
struct PlayerLine: Decodable {
  private enum Value: Decodable {
    struct Item: Decodable {
      let filename: String
      let current: Bool?
    }

    /// The answer to an order that added entries: the number of the first added entry.
    struct Taken: Decodable {
      let number: Int

      enum CodingKeys: String, CodingKey {
        case number = "playlist_entry_id"
      }
    }

    case number(Double)
    case flag(Bool)
    case list([Item])
    case taken(Taken)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else if let taken = try? container.decode(Taken.self) {
        self = .taken(taken)
      } else {
        self = .list(try container.decode([Item].self))
      }
    }
  }

  private let event: String?
  private let name: String?
  private let reason: String?
  /// The number of the file that begins.
  private let number: Int?
  private let question: Int?
  private let data: Value?

  private enum CodingKeys: String, CodingKey {
    case event, name, reason, data
    case number = "playlist_entry_id"
    case question = "request_id"
  }

  /// Returns nil if the bytes are no message of mpv.
  init?(_ line: ArraySlice<UInt8>) {
    guard let line = try? JSONDecoder().decode(Self.self, from: Data(line)) else { return nil }
    self = line
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    event = try container.decodeIfPresent(String.self, forKey: .event)
    name = try container.decodeIfPresent(String.self, forKey: .name)
    reason = try container.decodeIfPresent(String.self, forKey: .reason)
    number = try container.decodeIfPresent(Int.self, forKey: .number)
    question = try container.decodeIfPresent(Int.self, forKey: .question)
    // The data of a line that answers no question can have another form, and is ignored then.
    data = (try? container.decodeIfPresent(Value.self, forKey: .data)) ?? nil
  }

  /// Returns the event that the line means, or nil if it means none. An answer that gives numbers
  /// to new entries is noted in `names`.
  func meaning(_ names: inout PlayerNames) -> PlayEvent? {
    if event == nil, question == PlayerOrder.Question.entries.rawValue {
      if case .taken(let taken) = data {
        names.taken(from: taken.number)
      } else {
        names.taken(from: nil)
      }
      return nil
    }
    return switch (event, name, data) {
    case ("start-file", _, _): .opens(names.path(of: number))
    case ("property-change", "duration", .number(let seconds)): .lasts(seconds)
    case ("property-change", "pause", .flag(let isPaused)): .isPaused(isPaused)
    case ("property-change", "eof-reached", .flag(let isAtEnd)): .isAtEnd(isAtEnd)
    case ("property-change", "seeking", .flag(true)): .seeks
    case ("file-loaded", _, _): .loaded
    case ("idle", _, _): .idle
    case ("end-file", _, _): ended
    case (nil, _, .list(let items)) where question == PlayerOrder.Question.list.rawValue:
      .holds(items.map(\.filename), current: items.firstIndex { $0.current == true })
    case (nil, _, .number(let seconds)) where question == PlayerOrder.Question.position.rawValue:
      .isAt(seconds)
    case (nil, _, let data) where question == PlayerOrder.Question.byte.rawValue:
      .isAtByte(Self.byte(data))
    case (nil, _, .flag(let isStopping))
    where question == PlayerOrder.Question.isStopping.rawValue: .answers(isStopping: isStopping)
    default: nil
    }
  }

  private static func byte(_ data: Value?) -> Int? {
    guard case .number(let byte) = data, byte >= 0, byte < 1e18 else { return nil }
    return Int(byte)
  }

  private var ended: PlayEvent? {
    switch reason {
    case "eof": .ended(.end)
    case "error": .ended(.failed)
    case "stop", "quit": .ended(.stopped)
    default: nil  // such as "redirect": the file was a playlist
    }
  }
}

/// The paths of entries, by the numbers that mpv gives them.
///
/// mpv's property `path` cannot replace them, because mpv reports it only for some of the files
/// that it cannot open.
struct PlayerNames: Sendable {
  private var awaited: [[String]] = []
  private var paths: [Int: String] = [:]

  /// Notes entries that mpv was told to add.
  mutating func tell(of entries: [PlayedEntry]) {
    awaited.append(entries.map(\.path))
  }

  /// Takes mpv's answer to the oldest order to add entries: the number of the first added entry.
  /// Nil means that mpv has not added them.
  mutating func taken(from first: Int?) {
    guard !awaited.isEmpty else { return }
    for (index, path) in awaited.removeFirst().enumerated() {
      if let first { paths[first + index] = path }
    }
  }

  /// Returns the path of a number. It is empty for a file that is not from the feed.
  func path(of number: Int?) -> String {
    number.flatMap { paths[$0] } ?? ""
  }
}
