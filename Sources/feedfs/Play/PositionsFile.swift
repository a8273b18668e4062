import FoundationEssentials
import Glibc
import Playback
import Storage

/// `positions.json`: how far the user has come in entries, of all feeds.
struct PositionsFile: Sendable {
  /// Nil: the user has no place for it.
  private let file: SnapshotFile?

  static var own: PositionsFile {
    let state = try? Directories.state
    return PositionsFile(file: state.map { SnapshotFile(in: $0, name: "positions.json") })
  }

  /// None where there are none, or none that can be read.
  func read() -> Positions {
    let positions = try? file?.read { bytes in
      try JSONDecoder().decode(Positions.self, from: Data(bytes))
    }
    return positions.flatMap(\.self) ?? Positions()
  }

  /// Does what a player's queue decided. Others may play too, so what is there is read before.
  func keep(_ action: PlayAction) {
    var positions = read()
    let before = positions
    switch action {
    case .remember(let entry, let seconds):
      positions.remember(entry, seconds, now: Int(time(nil)))
    case .forget(let entry): positions.forget(entry)
    case .look, .append, .move, .remove, .play, .back, .start, .seek, .show, .quit: return
    }
    guard positions != before, let document = try? JSONEncoder().encode(positions) else { return }
    // Where it cannot be kept, playing goes on.
    try? file?.write(Array(document))
  }
}
