import Control
import FeedMount
import Feeds

/// What `feedfs status` tells of: a mount, or one file of it.
struct StatusSource {
  let place: MountedPlace
  /// Whether files are listed of which there is nothing to say.
  let listsAll: Bool

  /// As JSON.
  func document(pretty: Bool) throws(MountError) -> [UInt8] {
    if place.file != nil { return Self.encoded(try details(), pretty: pretty) }
    if pretty { return try MountControl.status(of: place.mountPoint) }
    return Self.encoded(try status(), pretty: false)
  }

  /// For people.
  func lines(_ face: TerminalFace, isFramed: Bool) throws(MountError) -> [StyledLine] {
    if place.file != nil { return FileTable(details: try details(), face: face).lines }
    return StatusTable(status: try status(), face: face, listsAll: listsAll, isFramed: isFramed)
      .lines
  }

  private func status() throws(MountError) -> MountStatus {
    let document = try MountControl.status(of: place.mountPoint)
    do {
      return try Wire.decode(MountStatus.self, from: document)
    } catch {
      throw MountError(
        .unavailable, "\(place.mountPoint) is served by another version of feedfs; mount it again")
    }
  }

  private func details() throws(MountError) -> FileDetails {
    var details = try MountControl.ask(
      .file(name: place.file ?? ""), at: place.mountPoint, as: FileDetails.self)
    details.processes = OpenFiles.holders(of: place.path)
    return details
  }

  private static func encoded(_ message: some Encodable, pretty: Bool) -> [UInt8] {
    (try? Wire.encode(message, pretty: pretty)) ?? []
  }
}
