/// The reason why an item of a feed is no file, and the option that would make it a file.
package struct Omission: Hashable, Sendable {
  /// The reason, in the words that follow "left out:" in messages.
  package let reason: String
  /// The option or setting that would make the item a file, as a command or the configuration names
  /// it; nil if there is none.
  package let option: String?

  init(_ reason: String, option: String? = nil) {
    (self.reason, self.option) = (reason, option)
  }

  static let duplicate = Omission("a duplicate of an earlier entry")
  static let noMedia = Omission("no media")
  /// The item has no media, but a link to a web page that can have some.
  static let onlyLink = Omission("no media", option: "resolver")
  static let audioOnly = Omission("audio only", option: "--audio")
  static let soundOfStream = Omission(
    "only an HLS or DASH stream, and its sound as a file", option: "--audio")
  static let splitTracks = Omission(
    "its picture and its sound are in separate files", option: "--audio")
  static let stream = Omission("only an HLS or DASH stream", option: "--streams on")
  static let list = Omission("only a list of addresses")
  static let live = Omission("a live stream")
  static let torrent = Omission("only a torrent")
  static let flash = Omission(
    "only a Flash player: its page needs a resolver", option: "resolver")
  static let page = Omission("only a web page", option: "resolver")
  static let player = Omission(
    "only a web page to watch it on, which needs a resolver", option: "resolver")
  static let otherFile = Omission("only a file that is neither video nor audio")
  static let image = Omission("only an image")
}
