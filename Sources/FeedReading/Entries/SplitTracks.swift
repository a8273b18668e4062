import Markup

/// Finds the candidates of an entry whose picture and sound are in separate files, as PeerTube
/// offers them.
///
/// PeerTube's "…-1080-fragmented.mp4" has only the picture in two cases: there is also a
/// "…-0-fragmented.mp4" with the sound, or another address asks the server to join two files.
struct SplitTracks {
  /// The addresses of pictures without their sound.
  private(set) var pictures: Set<String> = []
  /// The addresses of sound without its picture.
  private(set) var sounds: Set<String> = []
  /// The addresses of fragmented files, with or without sound. Players read the whole of such a
  /// file.
  private(set) var fragmented: Set<String> = []

  /// - Parameter urls: all addresses of the entry.
  init(_ urls: some Sequence<String>) {
    var joinsFiles = false
    for url in urls {
      if let lines = Self.lines(inFragment: url) {
        fragmented.insert(url)
        if lines == "0" { sounds.insert(url) } else { pictures.insert(url) }
      } else if url.has(Self.parameter) {
        let count = AddressWords(url).count { $0.text == "videofileids" }
        joinsFiles = joinsFiles || count > 1
      }
    }
    if sounds.isEmpty, !joinsFiles { pictures = [] }
  }

  /// Returns "1080" of "…-1080-fragmented.mp4"; nil for other names.
  private static func lines(inFragment url: String) -> String? {
    guard url.has(name) else { return nil }
    var before = ""
    for word in AddressWords(url) where !word.isInQuery {
      if word.text == "fragmented" {
        return before.utf8.allSatisfy(Byte.isDigit) ? before.nonEmpty : nil
      }
      before = word.text
    }
    return nil
  }

  private static let name = Array("-fragmented.".utf8)
  private static let parameter = Array("videoFileIds=".utf8)
}
