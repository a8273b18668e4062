import Markup

extension EntryDraft {
  /// Adds the media that the texts among `nodes` name. Only the first text that names media is
  /// used. Relative addresses are resolved against the entry's link, or against `base` if it has no
  /// link.
  mutating func takeMedia(ofTexts nodes: [XMLNode], base: String) {
    for node in nodes where Self.texts.contains(node.name) && node.hasText {
      takeMedia(ofHTML: node.text, base: base)
    }
  }

  /// Adds the media that `html` names, unless an earlier text already named media, or the entry has
  /// a file already. The addresses are checked like any other address of a feed.
  mutating func takeMedia(ofHTML html: String, base: String) {
    guard textMedia.candidates.isEmpty, candidates.allSatisfy({ $0.unplayable != nil }),
      PageReader.mayHoldPlayer(Array(html.utf8))
    else { return }
    let media = PageReader.read(text: html, at: link ?? base)
    var draft = EntryDraft()
    for format in media.formats { draft.take(format) }
    textMedia.candidates = draft.candidates
    textMedia.thumbnail = media.thumbnail
    textMedia.subtitles = media.subtitles
  }

  private mutating func take(_ format: PageFormat) {
    offer(format.url, base: "", source: .alternative) { candidate in
      candidate.media.type = format.type
      candidate.media.height = format.height
      // If neither the type nor the address shows the class, the `<audio>` element does.
      if format.picture == .missing, candidate.mediaClass == .unknown {
        candidate.media.type = "audio/mpeg"
      }
    }
  }
}
