package import Streams

extension StreamWishes {
  /// Makes the wishes from a user's choice of media; nil if the user wants no files that are made
  /// of streams.
  package init?(_ choice: MediaChoice) {
    guard choice.streams else { return nil }
    self.init()
    maxHeight = choice.maxHeight
    codecs = choice.prefer
    languages = choice.languages
  }
}
