import Catalog
import Fuse

/// The names in the folders of a feed, and their attributes.
extension FeedFileSystem {
  func fixedItems(of folder: FeedNode) -> [DirectoryItem] {
    var items = documents.documents.filter { $0.folder == folder }.map {
      DirectoryItem(name: $0.name, attributes: file($0), cookie: Int($0.inode))
    }
    if folder == .root {
      let views: [(String, FeedNode)] = [
        (Self.titlesName, .titles), (Self.newsName, .news), (Self.startedName, .started),
      ]
      for (name, node) in [(Self.controlName, .control)] + (showsTitles ? views : []) {
        items.append(
          DirectoryItem(name: name, attributes: directory(node), cookie: Int(node.inode)))
      }
      for item in sidecars.itemsOfFeed {
        items.append(
          DirectoryItem(
            name: item.name, attributes: attributes(of: item),
            cookie: Self.firstEntryCookie - 2 + item.index))
      }
    }
    return items.sorted { $0.cookie < $1.cookie }
  }

  /// The names in the feed's folder.
  var rootNames: [String] {
    var names: [String] = []
    var cookie = 0
    while let more = try? items(of: space.root, after: cookie, limit: 1000), let last = more.last {
      names += more.map(\.name)
      cookie = last.cookie
    }
    return names
  }

  /// Adds the names of an entry and its sidecars whose cookies are greater than `cookie`.
  func add(
    _ glance: LiveCatalog.Glance, in folder: FeedNode, after cookie: Int,
    to items: inout [DirectoryItem]
  ) {
    let isRoot = folder == .root
    let first = Self.firstEntryCookie + glance.entry.number * FeedNode.maxSidecars
    if isRoot, first > cookie {
      items.append(
        DirectoryItem(
          name: glance.entry.name, attributes: facts.attributes(of: glance), cookie: first))
    }
    // Only links and sidecars need the whole entry; a glance is enough for the entry's own name.
    guard !isRoot || sidecars.mayHave(glance.entry),
      let entry = live.entry(number: glance.entry.number)
    else { return }
    if !isRoot, first > cookie {
      items.append(
        DirectoryItem(name: entry.titleName, attributes: link(to: entry), cookie: first))
    }
    for item in sidecars.items(of: entry) where first + 1 + item.index > cookie {
      items.append(
        DirectoryItem(
          name: isRoot ? item.name : item.titleName,
          attributes: isRoot ? attributes(of: item) : link(to: item),
          cookie: first + 1 + item.index))
    }
  }

  func titleItem(named name: String) -> Attributes? {
    if let entry = live.entry(titled: name) { return link(to: entry) }
    return sidecars.titled(name).map { link(to: $0) }
  }

  /// Returns a link in `new` or `started`; nil if the entry's mark does not belong in `folder`.
  /// Marks change at any time, so the kernel caches the link for only one second.
  func titleItem(named name: String, in folder: FeedNode) -> Attributes? {
    let item = live.entry(titled: name) == nil ? sidecars.titled(name) : nil
    guard let entry = live.entry(titled: name) ?? item.flatMap({ live.entry(number: $0.number) }),
      holds(entry.mark, folder)
    else { return nil }
    if let item { return link(to: item) }
    return link(
      .titleLink(number: entry.number), to: entry.name, modified: entry.modified,
      validity: Self.sidecarValidity)
  }

  /// Whether a folder shows entries with this mark.
  func holds(_ mark: EntryMark?, _ folder: FeedNode) -> Bool {
    switch folder {
    case .news: mark == nil
    case .started: mark == .started
    default: true
    }
  }

  // MARK: Attributes

  func directory(_ node: FeedNode) -> Attributes {
    Attributes(
      inode: space.node(node.inode), kind: .directory, size: 4096, storedBytes: 0,
      modified: node == .control ? started : max(started, live.changedAt), validity: .seconds(1))
  }

  /// Returns the attributes of a generated file. The size can be outdated. A reader still gets the
  /// whole content, because each open brings the current content.
  func file(_ document: GeneratedFiles.Document) -> Attributes {
    let size = documents.size(of: document)
    return Attributes(
      inode: space.node(document.inode), kind: .file, size: size, storedBytes: size,
      modified: started, validity: .zero)
  }

  func attributes(of item: SidecarFiles.Item) -> Attributes {
    let known = sidecars.size(of: item)
    return Attributes(
      inode: space.node(item.node.inode), kind: .file, size: known ?? SidecarFiles.likelySize,
      storedBytes: known ?? 0,
      modified: item.modified, validity: .zero, isClaim: known == nil)
  }

  func link(to entry: CatalogEntry) -> Attributes {
    link(
      .titleLink(number: entry.number), to: entry.name, modified: entry.modified,
      validity: Self.linkValidity)
  }

  func link(to item: SidecarFiles.Item) -> Attributes {
    link(
      .titleSidecar(number: item.number, index: item.index), to: item.name,
      modified: item.modified, validity: Self.sidecarValidity)
  }

  private func link(
    _ node: FeedNode, to name: String, modified: Int, validity: Duration
  ) -> Attributes {
    Attributes(
      inode: space.node(node.inode), kind: .link, size: name.utf8.count + 3, storedBytes: 0,
      modified: modified, validity: validity)
  }

  /// How long the kernel caches a link. The target of a link never changes. When the link's name
  /// passes to another entry, a notice tells the kernel.
  private static let linkValidity = Duration.seconds(60)
  /// How long the kernel caches a link to a sidecar. It is short, because no notice tells the
  /// kernel that the link's name has changed.
  private static let sidecarValidity = Duration.seconds(1)
}
