import Markup

/// Cuts a document into its records. A record is a direct child of the root or of the channel. Each
/// record is passed to the parser as a small tree.
///
/// Only the parsing thread uses it.
final class FeedOutline: XMLHandler {
  let tree: XMLTree
  /// The parser of the records; nil until a feed's root was read.
  private(set) var format: (any FeedFormat)?
  /// The name of the root element if the document is no feed; nil otherwise.
  private(set) var foreignRoot: String?

  private let choice: MediaChoice
  /// Whether prose is read to its end, because it can name media.
  private let readsTexts: Bool
  /// Copies of `container` and `maxRecord` of the format (`FeedFormat`). To ask the format at each
  /// element would cost more than to read the element.
  private var container: String?
  private var maxRecord = 0
  /// The number of open elements that hold records: the root, and the container in it.
  private var containers = 0
  /// The number of elements that were read of the current record.
  private var size = 0
  /// Whether the innermost open element is prose (`isProse`).
  private var isInProse = false
  /// Whether the open prose is inline XHTML. Then a "<" in its text begins no tag.
  private var isInline = false
  /// Whether a title was read in the current record.
  private var hasTitle = false
  /// Whether the beginning of the open prose can become the title of the record.
  private var isTitle = false
  /// The namespace of an `rss` root that has one by mistake; nil for any other root. The elements
  /// of RSS in this root have the same namespace, and are read as if they had none.
  private var misplaced: Namespace?
  /// The number of open elements that are skipped.
  private var ignored = 0
  /// The open `<video>` or `<audio>` in prose has ended when `ignored` has this value again. Nil if
  /// no such element is open.
  private var outsideOfPlayer: Int?

  /// - Parameter readsTexts: whether the texts of entries are read for media that nothing else names.
  init(base: String, choice: MediaChoice, readsTexts: Bool = false) {
    tree = XMLTree(base: base)
    self.choice = choice
    self.readsTexts = readsTexts
  }

  /// Returns the feed of all records; nil if the root element is not that of a feed. Call it once.
  func finish() -> Feed? {
    format?.finish()
  }

  var wantsText: Bool {
    if isInProse {
      if isInline { return isTitle && tree.innermostText < TextTitle.room }
      // The beginning of a long text becomes the notes of its entry, and perhaps the title.
      return readsTexts || tree.innermostText < ShowNotes.maxBytes
    }
    return ignored == 0 && tree.depth > containers
  }

  func start(_ name: XMLName, attributes: () -> Void) -> Bool {
    let isRecord = tree.depth == containers
    if ignored > 0 || isInProse || (!isRecord && size >= maxRecord) {
      if isInProse, readsTexts { quote(name, attributes) }
      ignored += 1
      return true
    }
    let isRoot = tree.depth == 0
    let space = name.space == misplaced ? .plain : name.space
    let isField = tree.depth == containers + 1
    let node = tree.begin(name, space: space)
    attributes()
    tree.settleBase()
    if isRoot { return startDocument(node) }
    guard isRecord else {
      size += 1
      isInProse = Self.isProse(space, name.local)
      isTitle = isInProse && isField && !hasTitle
      if readsTexts, isInProse {
        isInline = node["type"]?.lowercased().contains("xhtml") ?? false
      }
      return true
    }
    if containers == 1, let container, container == node.name,
      node.space == .plain || node.space == .other
    {
      containers = 2
      return true
    }
    if isFull { return false }
    size = 1
    hasTitle = false
    isInProse = Self.isProse(space, name.local)
    isTitle = false
    return true
  }

  func end() {
    if ignored > 0 {
      ignored -= 1
      if ignored == outsideOfPlayer {
        outsideOfPlayer = nil
        tree.append("</video>")
      }
      return
    }
    isInProse = false
    outsideOfPlayer = nil
    guard let node = tree.end() else { return }
    if !hasTitle, tree.depth == containers + 1, node.name == "title", node.hasText {
      hasTitle = true
    }
    if tree.depth < containers {
      containers = tree.depth
      tree.remove(node)
    } else if tree.depth == containers, let container = tree.innermost {
      format?.take(node, in: container)
      tree.remove(node)
    }
  }

  /// Appends a player's tag in inline XHTML to the text of the prose, as the tag would be in
  /// escaped HTML.
  private func quote(_ name: XMLName, _ attributes: () -> Void) {
    guard Self.playerTags.contains(name.local), size < maxRecord else { return }
    size += 1
    let node = tree.begin(name, space: name.space)
    attributes()
    _ = tree.end()
    let fields = Self.playerFields.compactMap { field in
      node[field].map { value in
        let escaped = value.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        return " \(field)=\"\(escaped)\""
      }
    }
    tree.append("<\(name.local)\(fields.joined())>")
    if outsideOfPlayer == nil, name.local == "video" || name.local == "audio" {
      outsideOfPlayer = ignored
    }
  }

  private static let playerTags: Set<String> = ["video", "audio", "source", "track"]
  private static let playerFields = [
    "src", "type", "poster", "height", "size", "res", "label", "title", "kind", "srclang",
  ]

  private var isFull: Bool { (format?.entryCount ?? 0) >= XMLLimit.entries }

  private func startDocument(_ root: XMLNode) -> Bool {
    switch root.name {
    case "rss", "rdf", "channel", "redirect":
      begin(RSSParser(root: root, choice: choice, readsTexts: readsTexts))
      if root.name == "rss", root.space != .plain { misplaced = root.space }
    case "feed":
      begin(AtomParser(root: root, choice: choice, readsTexts: readsTexts))
    case "playlist":
      begin(XSPFParser(root: root, choice: choice))
    case "opml":
      begin(OPMLParser())
    case "list" where root.space == .plain:
      begin(NginxXMLParser(choice: choice))
    default:
      foreignRoot = root.name
      return false
    }
    containers = 1
    return true
  }

  private func begin<Format: FeedFormat>(_ format: Format) {
    self.format = format
    container = Format.container
    maxRecord = Format.maxRecord
  }

  /// Whether an element is prose: a long text, of which usually only the beginning is needed. The
  /// attributes of the element are read in any case.
  private static func isProse(_ space: Namespace, _ name: String) -> Bool {
    switch space {
    case .media: name == "description"
    case .podcast, .podlove: false
    default:
      switch name {
      case "description", "encoded", "content", "summary", "subtitle", "tagline", "source", "body":
        true
      default: false
      }
    }
  }
}

/// A parser of the records of one format.
protocol FeedFormat {
  /// The local name, in lower case, of the element in the root that holds the entries; nil if the
  /// root itself holds them.
  static var container: String? { get }

  /// The limit for the elements of one record. Further elements are left out.
  static var maxRecord: Int { get }

  /// The number of entries that were read so far.
  var entryCount: Int { get }

  /// Whether there are entries without a file. The texts of these entries can name one.
  var lacksFiles: Bool { get }

  /// Reads a record, which is a direct child of `container`. The container is the root, or the
  /// channel in the root.
  mutating func take(_ record: XMLNode, in container: XMLNode)

  /// Returns the feed of all records that were read. Call it once.
  mutating func finish() -> Feed
}

extension FeedFormat {
  static var maxRecord: Int { 20_000 }

  var lacksFiles: Bool { false }
}
