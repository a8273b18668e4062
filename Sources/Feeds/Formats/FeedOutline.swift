/// Cuts a document into its records: what lies directly in the feed, each a small tree.
///
/// Only ever touched by the thread that parses.
final class FeedOutline: XMLHandler {
  /// What reads the records; nil until a root was seen that is one of a feed.
  private(set) var format: (any FeedFormat)?
  /// The root where it is none of a feed.
  private(set) var foreignRoot: String?
  /// A text was longer than is kept of one.
  private(set) var isTextCut = false

  private let documentBase: String
  /// Open elements, containers first.
  private var open: [XMLNode] = []
  private var containers = 0
  /// Elements of the record so far.
  private var size = 0
  /// Whether the innermost open element is prose.
  private var isInProse = false
  /// The namespace of an `rss` that lies in one by mistake, and with it all that is RSS.
  private var misplaced: Namespace?
  /// Open elements that are not looked at.
  private var ignored = 0

  init(base: String) {
    documentBase = base
  }

  /// The feed that the records make; nil where there was no root of a feed. Asked once.
  func feed(_ choice: MediaChoice) -> Feed? {
    format?.feed(choice)
  }

  private var largestRecord: Int { format.map { type(of: $0).largestRecord } ?? 0 }

  var wantsText: Bool { ignored == 0 && !isInProse && open.count > containers }

  func start(_ name: XMLName, attributes: XMLAttributes) -> Bool {
    let isRecord = open.count == containers
    if ignored > 0 || isInProse || (!isRecord && size >= largestRecord) {
      ignored += 1
      return true
    }
    let node = XMLNode(
      space: name.space == misplaced ? .plain : name.space, name: name.local,
      attributes: attributes,
      parentBase: open.last?.base ?? documentBase)
    if open.isEmpty { return startDocument(node) }
    if isRecord, containers == 1, let format, type(of: format).container == node.name,
      node.space == .plain || node.space == .other
    {
      open.append(node)
      containers = 2
      return true
    }
    if isRecord {
      size = 0
      if let format, format.entryCount >= XMLLimit.entries { return false }
    } else {
      open.last?.append(node)
    }
    size += 1
    open.append(node)
    isInProse = Self.isProse(node)
    return true
  }

  func text(_ text: String) {
    if open.last?.append(text) == false { isTextCut = true }
  }

  func end() {
    if ignored > 0 {
      ignored -= 1
      return
    }
    isInProse = false
    guard let node = open.popLast() else { return }
    if open.count < containers {
      containers = open.count
    } else if open.count == containers, let container = open.last {
      format?.take(node, in: container)
    }
  }

  private func startDocument(_ root: XMLNode) -> Bool {
    switch root.name {
    case "rss", "rdf", "channel", "redirect":
      format = RSSParser(root: root)
      if root.name == "rss", root.space != .plain { misplaced = root.space }
    case "feed":
      format = AtomParser(root: root)
    case "playlist":
      format = XSPFParser(root: root)
    case "opml":
      format = OPMLParser(root: root)
    case "list" where root.space == .plain:
      format = NginxXMLParser()
    default:
      foreignRoot = root.name
      return false
    }
    open = [root]
    containers = 1
    return true
  }

  /// Long texts that no field is made of. Their attributes count.
  private static func isProse(_ node: XMLNode) -> Bool {
    switch node.space {
    case .media: node.name == "description"
    case .podcast, .podlove: false
    default:
      switch node.name {
      case "description", "encoded", "content", "summary", "subtitle", "tagline", "source", "body":
        true
      default: false
      }
    }
  }
}

/// Reads the records of one format.
protocol FeedFormat {
  /// The element in the root in which entries lie, by its local name in lower case; nil: they lie in
  /// the root.
  static var container: String? { get }

  /// Elements that one record may have; the rest of it is left out.
  static var largestRecord: Int { get }

  /// Entries taken so far.
  var entryCount: Int { get }

  /// `record` lies directly in `container`: the root, or the channel in it.
  mutating func take(_ record: XMLNode, in container: XMLNode)

  /// The feed that they make; asked once.
  mutating func feed(_ choice: MediaChoice) -> Feed
}

extension FeedFormat {
  static var largestRecord: Int { 20_000 }
}
