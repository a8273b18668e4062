package import Streams

extension StreamWishes {
  /// The wishes that a user's choice of media means; nil if streams are no files.
  package init?(_ choice: MediaChoice) {
    guard choice.streams else { return nil }
    self.init()
    maxHeight = choice.maxHeight
    codecs = choice.prefer
    languages = choice.languages
  }
}
