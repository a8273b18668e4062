/// Which of what an entry offers its user wants to play.
package struct MediaChoice: Hashable, Codable, Sendable {
  /// Whether entries that only have sound are files too.
  package var audio = false
  /// Lines of picture; what has more is played only where nothing else is offered.
  package var maxHeight: Int?
  /// Whether a web page will do where there is nothing else, since its media can be found.
  package var pages = false

  package init() {}
}
