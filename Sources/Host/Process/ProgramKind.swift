/// The way in which a program uses the media files that it opens. A program is recognized by its
/// name.
///
/// This is the only table of such names. A name has 15 bytes at most, because Linux cuts longer
/// ones.
package enum ProgramKind: CaseIterable, Hashable, Sendable {
  /// Writes the size of a file into its archive before it opens the file. Then it writes exactly
  /// that many bytes.
  case archiver
  /// Opens a file, asks for its size, and copies that many bytes.
  case copier
  /// Copies as a copier does. If the user wants sizes to be compared, it asks for them before it
  /// opens a file.
  case synchronizer
  /// Is many programs in one. The first argument says which of them is meant.
  case collection
  /// Asks for the size of a file, opens the file next, and reads no further than that size.
  case browser
  /// Opens every file of a folder to find out its type.
  case scanner
  /// Examines a media file, and does not play it. It gets all bytes that it reads, but its open
  /// does not count as playing, and nothing is read ahead for it.
  case looker
  /// Plays a media file for the user. Media servers are no players, because they look at every
  /// file.
  case player

  /// - Parameter name: the name of a process or thread, or of a program in a collection.
  package init?(of name: String) {
    guard let kind = Self.kinds[name] else { return nil }
    self = kind
  }

  package var names: Set<String> {
    switch self {
    case .archiver:
      [
        "7z", "7za", "7zr", "7zz", "bsdcpio", "bsdtar", "cpio", "genisoimage", "mkisofs", "pax",
        "tar", "xorriso",
      ]
    // Some of these names are names of Node's threads. `cksum`, busybox's `gzip` and `zip` treat a
    // failed read as the end of the file, but not a failed open.
    case .copier:
      [
        "MainThread", "ar", "bun", "cksum", "curl", "deno", "gzip", "libuv-worker", "node",
        "node-MainThread", "scp", "zip", "zstd",
      ]
    case .synchronizer: ["rsync"]
    case .collection: ["busybox", "toybox"]
    // The threads of Chromium, and of programs that are built on it.
    case .browser: ["ThreadPoolForeg"]
    case .scanner: ["file"]
    case .looker:
      [
        "exiftool", "ffmpegthumbnail", "ffprobe", "gerbera", "gst-discoverer-", "mediainfo",
        "minidlnad", "mkvinfo", "mkvmerge", "totem-video-thu", "tracker-extract",
      ]
    case .player:
      [
        "mpv", "vlc", "celluloid", "haruna", "totem", "showtime", "clapper", "smplayer", "mplayer",
        "ffplay", "kodi", "kodi.bin", "kodi-x11", "kodi-wayland", "kodi-gbm", "parole", "dragon",
        "xine",
      ]
    }
  }

  /// Whether the program reads a file only up to the size that it finds when it opens the file. So
  /// its `open` of a growing file waits until the end of the file is known.
  package var goesBySize: Bool {
    switch self {
    case .archiver, .copier, .synchronizer: true
    case .collection, .browser, .scanner, .looker, .player: false
    }
  }

  /// Whether the program's opens do not count as playing.
  package var onlyLooks: Bool { self == .scanner || self == .looker }

  private static let kinds = Dictionary(
    uniqueKeysWithValues: allCases.flatMap { kind in kind.names.map { ($0, kind) } })
}
