/// Cuts a document into its records. A record is a direct child of the feed, as a small tree.
///
/// Only the parsing thread uses it.
final class FeedOutline: XMLHandler {
  /// The parser of the records; nil until a feed's root was read.
  private(set) var format: (any FeedFormat)?
  /// The name of a root that is not a feed's.
  private(set) var foreignRoot: String?
  /// True when a text was longer than the limit, and was cut.
  private(set) var isTextCut = false

  private let documentBase: String
  /// The open elements, containers first.
  private var open: [XMLNode] = []
  private var containers = 0
  /// The number of elements in the record so far.
  private var size = 0
  /// Whether the innermost open element is prose.
  private var isInProse = false
  /// The namespace of an `rss` root that has one by mistake. Its RSS elements have the same
  /// namespace.
  private var misplaced: Namespace?
  /// The number of open elements that are skipped.
  private var ignored = 0

  init(base: String) {
    documentBase = base
  }

  /// Returns the feed of all records; nil if the document has no feed's root. Call it once.
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

  /// Whether an element has a long text that no field uses. Its attributes are still read.
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

/// A parser of the records of one format.
protocol FeedFormat {
  /// The local name, in lower case, of the element in the root that holds the entries; nil if the
  /// root itself holds them.
  static var container: String? { get }

  /// The most elements of one record. The rest of the record is left out.
  static var largestRecord: Int { get }

  /// The number of entries taken so far.
  var entryCount: Int { get }

  /// Takes a record, which is a direct child of `container`. That is the root or the channel in it.
  mutating func take(_ record: XMLNode, in container: XMLNode)

  /// Returns the feed of all records taken. Call it once.
  mutating func feed(_ choice: MediaChoice) -> Feed
}

extension FeedFormat {
  static var largestRecord: Int { 20_000 }
}
