import FoundationEssentials

/// An order to mpv, as a line of JSON (mpv(1), "JSON IPC").
struct PlayerOrder: Encodable {
  /// The question of an order. mpv repeats its number in the answer (`request_id`).
  enum Question: Int {
    case none
    case list
    case position
    case byte
    case entries
    case isStopping
  }

  enum Word: Encodable {
    case text(String)
    case number(Int)
    case seconds(Double)
    case flag(Bool)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      case .seconds(let seconds): try container.encode(seconds)
      case .flag(let flag): try container.encode(flag)
      }
    }
  }

  private let command: [Word]
  private let question: Question

  private enum CodingKeys: String, CodingKey {
    case command
    case question = "request_id"
  }

  init(_ command: [Word], _ question: Question = .none) {
    self.command = command
    self.question = question
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(command, forKey: .command)
    try container.encode(question.rawValue, forKey: .question)
  }

  /// The line, with its line end.
  var line: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    guard let data = try? encoder.encode(self) else { return [] }
    return Array(data) + [UInt8(ascii: "\n")]
  }
}

extension PlayerOrder {
  /// The orders that let mpv report changes of some properties by itself.
  static let observations = [
    PlayerOrder([.text("observe_property"), .number(1), .text("duration")]),
    PlayerOrder([.text("observe_property"), .number(2), .text("pause")]),
    PlayerOrder([.text("observe_property"), .number(3), .text("eof-reached")]),
    PlayerOrder([.text("observe_property"), .number(4), .text("seeking")]),
  ]

  static let position = PlayerOrder([.text("get_property"), .text("time-pos")], .position)
  static let byte = PlayerOrder([.text("get_property"), .text("stream-pos")], .byte)

  /// Returns nil for an action that the player does not perform.
  init?(_ action: PlayAction) {
    switch action {
    case .look: self.init([.text("get_property"), .text("playlist")], .list)
    case .append(let entries):
      self.init([.text("loadlist"), .text(Self.list(of: entries)), .text("append")], .entries)
    case .move(let from, let to):
      self.init([.text("playlist-move"), .number(from), .number(to)])
    case .remove(let index): self.init([.text("playlist-remove"), .number(index)])
    case .play(let index): self.init([.text("playlist-play-index"), .number(index)])
    case .next: self.init([.text("playlist-next"), .text("force")])
    case .hold(let isHeld):
      self.init([.text("set_property"), .text("pause"), .flag(isHeld)])
    case .ask: self.init([.text("get_property"), .text("playback-abort")], .isStopping)
    case .askPosition: self = .position
    case .back: self.init([.text("playlist-prev")])
    case .start(let seconds):
      // The option is for the file that is being opened. It is not used when the file is played
      // again.
      self.init([
        .text("set_property"), .text("file-local-options/start"), .text("\(Int(seconds))"),
      ])
    case .seek(let seconds):
      self.init([.text("seek"), .seconds(seconds.rounded(.down)), .text("absolute")])
    case .show(let text): self.init([.text("show-text"), .text(text), .number(Self.showTime)])
    case .tell(let text): self.init([.text("show-text"), .text(text), .number(Self.tellTime)])
    case .quit(let code): self.init([.text("quit"), .number(code)])
    case .remember, .forget, .reopen, .check, .probe, .endProbe, .release: return nil
    }
  }

  private static let showTime = 4_000  // ms
  /// The text is shown again after a second, so this time is longer than a second.
  private static let tellTime = 2_000  // ms

  /// Returns a playlist inside the order, so that each entry has its title and needs no order of
  /// its own.
  private static func list(of entries: [PlayedEntry]) -> String {
    entries.reduce(into: "memory://#EXTM3U\n") { text, entry in
      let seconds = entry.duration.map { Int(min($0, 1e9).rounded()) } ?? -1
      text += "#EXTINF:\(seconds),\(entry.title)\n\(entry.path)\n"
    }
  }
}
