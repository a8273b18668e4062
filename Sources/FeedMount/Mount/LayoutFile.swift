import Locks
import Storage
import SystemPackage

/// The layout of a mount point on the disk.
struct LayoutFile: Sendable {
  /// The layout as it was read; nil if none was there.
  let layout: MountLayout?
  private let file: SavedValue<MountLayout>
  /// The layout that was read or written last.
  private let known: Locked<MountLayout?>

  /// Reads the layout of `mountPoint`.
  init(of mountPoint: FilePath, in directories: MountDirectories, on disk: Disk) {
    file = SavedValue(
      in: directories.state(ofMount: mountPoint), name: "layout.json", as: .json(), on: disk)
    layout = file.read()
    known = Locked(layout)
  }

  /// Saves `layout`, unless the disk has it already. If the write fails, a later mount can give the
  /// feeds other places.
  func remember(_ layout: MountLayout) {
    let isNews = known.withLock { known in
      defer { known = layout }
      return known != layout
    }
    if isNews { file.write(layout) }
  }
}
