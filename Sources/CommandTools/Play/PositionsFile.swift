import Glibc
package import Playback
import Storage

/// The file `positions.json`: the user's positions in the entries of all feeds.
package struct PositionsFile: Sendable {
  /// The file; nil if the user has no directory for it.
  private let file: SavedValue<Positions>?

  package static var own: PositionsFile {
    let state = try? Directories.state
    let disk = Disk.real.telling { format, file in remark("\(file) \(format.words)") }
    return PositionsFile(
      file: state.map {
        SavedValue(
          in: $0, name: "positions.json", as: .json(Positions.currentSchema), on: disk)
      })
  }

  /// Returns the positions. There are none if the file is missing or cannot be read.
  package func read() -> Positions {
    file?.read() ?? Positions()
  }

  /// Saves or forgets a position, as a player's queue has decided. Reads the file first, because
  /// other players may have changed it.
  func keep(_ action: PlayAction) {
    var positions = read()
    let before = positions
    switch action {
    case .remember(let entry, let seconds):
      positions.remember(entry, seconds, now: Int(time(nil)))
    case .forget(let entry): positions.forget(entry)
    default: return
    }
    // Playing goes on if the position cannot be saved.
    if positions != before { file?.write(positions) }
  }
}
