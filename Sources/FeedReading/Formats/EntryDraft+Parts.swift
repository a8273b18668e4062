import Addresses
import Markup

extension EntryDraft {
  /// A `media:content` outside a group.
  private struct LooseContent {
    let url: String
    let title: String
    let duration: Double?

    init?(_ content: XMLNode) {
      guard let url = WebAddress.usable(content["url"], base: content.base) else { return nil }
      self.url = url
      title =
        content.children.first { $0.space == .media && $0.name == "title" }
        .map { PlainText.of($0.text) } ?? ""
      duration = content["duration"].flatMap(FeedDuration.parse)
    }
  }

  /// Splits the item into drafts, one for each film in it.
  ///
  /// By the specification, contents outside a group are different films (Media RSS, "media:group").
  /// But many feeds list the forms of one film without a group. So contents count as different
  /// films only if their titles, durations or file names show it. The first draft keeps the id of
  /// the item.
  ///
  /// - Parameter contents: the `media:content` outside groups.
  func parts(_ contents: [XMLNode]) -> [EntryDraft] {
    guard contents.count > 1, !Self.lastAsLong(contents) else { return [self] }
    let films = contents.compactMap(LooseContent.init).filter { content in
      candidates.contains {
        $0.media.url == content.url && $0.mediaClass == .video && $0.unplayable == nil
          && !$0.isSample
      }
    }
    guard films.count > 1, areDifferent(films) else { return [self] }
    let main = films.first { film in
      candidates.contains { $0.media.url == film.url && $0.source == .enclosure }
    }
    let others = films.filter { $0.url != (main ?? films[0]).url }
    var first = self
    first.candidates.removeAll { candidate in others.contains { $0.url == candidate.media.url } }
    return [first] + others.map { part(of: $0) }
  }

  // MARK: Private

  /// True if all durations among `contents` are the same, and no content has a title. The forms of
  /// one film are mostly like that, so no closer comparison is needed.
  private static func lastAsLong(_ contents: [XMLNode]) -> Bool {
    let durations = contents.lazy.compactMap { $0["duration"] }
    guard let first = durations.first, durations.allSatisfy({ $0 == first }) else { return false }
    return !contents.contains { content in
      content.children.contains { $0.space == .media && $0.name == "title" }
    }
  }

  private func part(of film: LooseContent) -> EntryDraft {
    var part = self
    part.candidates = candidates.filter { $0.media.url == film.url }
    let digits = EntryIdentity.digits(of: WebAddress.identity(of: film.url))
    part.guid = "\(guid ?? link ?? "")#\(digits)"
    part.identifier = nil
    part.isPart = true
    part.title = film.title.nonEmpty ?? title
    part.duration = film.duration
    part.subtitles = []
    (part.chapters, part.chapterMarks) = (nil, [])
    return part
  }

  private func areDifferent(_ films: [LooseContent]) -> Bool {
    let titles = films.map(\.title)
    if !titles.contains("") { return Set(titles).count == films.count }
    let durations = films.compactMap(\.duration).sorted()
    if durations.count == films.count {
      return zip(durations, durations.dropFirst()).allSatisfy { $1 - $0 > max(2, $0 / 50) }
    }
    let forms = candidates.filter { candidate in
      films.contains { $0.url == candidate.media.url }
    }
    let hasQuality = forms.contains {
      $0.labelledHeight != nil || PictureHeight(of: $0.media, duration: duration) != nil
        || $0.media.isDefault || $0.media.lang != nil
    }
    let types = Set(forms.map { MediaType.fileExtension(of: $0.media) })
    let names = Set(films.map { Self.beginning(of: $0.url) })
    return !hasQuality && durations.isEmpty && types.count == 1 && names.count == films.count
  }

  /// Returns the first three letters of the file's name. Forms of one film have names that begin
  /// with the same letters.
  private static func beginning(of url: String) -> Substring {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    return (path.split(separator: "/").last ?? "").prefix(3)
  }
}
