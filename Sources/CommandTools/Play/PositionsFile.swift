import Glibc
package import Playback
import Storage

/// The file `positions.json`: how far the user has played each entry of all feeds.
package struct PositionsFile: Sendable {
  /// The file; nil if no directory for it is known, so that positions cannot be saved.
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

  /// Returns the positions. Returns no positions if the file is missing or cannot be read.
  package func read() -> Positions {
    file?.read() ?? Positions()
  }

  /// Saves or forgets a position, as `action` says. Reads the file first, because other players can
  /// have changed it.
  func keep(_ action: PlayAction) {
    var positions = read()
    let before = positions
    switch action {
    case .remember(let entry, let seconds):
      positions.remember(entry, seconds, now: Int(time(nil)))
    case .forget(let entry): positions.forget(entry)
    default: return
    }
    // If the position cannot be saved, that is ignored, and playing goes on.
    if positions != before { file?.write(positions) }
  }
}
