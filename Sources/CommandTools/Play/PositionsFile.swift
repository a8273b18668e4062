import FoundationEssentials
import Glibc
package import Playback
import Storage

/// The file `positions.json`: the user's positions in the entries of all feeds.
package struct PositionsFile: Sendable {
  private struct Head: Decodable {
    let schema: Int
  }

  /// The file; nil if the user has no directory for it.
  private let file: SnapshotFile?

  package static var own: PositionsFile {
    let state = try? Directories.state
    let disk = Disk.real.telling { format, file in remark("\(file) \(format.words)") }
    return PositionsFile(
      file: state.map { SnapshotFile(in: $0, name: "positions.json", on: disk) })
  }

  /// Returns the positions. There are none if the file is missing or cannot be read.
  package func read() -> Positions {
    let positions = try? file?.read { bytes in
      let head = try JSONDecoder().decode(Head.self, from: Data(bytes))
      if let other = OtherFormat(head.schema, known: Positions.currentSchema) { throw other }
      return try JSONDecoder().decode(Positions.self, from: Data(bytes))
    }
    return positions.flatMap(\.self) ?? Positions()
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
    guard positions != before, let document = try? JSONEncoder().encode(positions) else { return }
    // Playing goes on if the position cannot be saved.
    try? file?.write(Array(document))
  }
}
