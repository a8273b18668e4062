import Glibc
import Locks

/// All content: the documents that tests have put, and the content generated on request.
final class Site: Sendable {
  private let root: String?
  private let state = Locked(State())

  private struct State {
    var documents: [String: Resource] = [:]
    /// Traits by path prefix; a longer prefix wins.
    var traits: [String: Traits] = [:]
  }

  /// The first date of generated content: 1 January 2025. Each version is a day later.
  private static let epoch = 1_735_689_600
  private static let day = 86_400

  /// - Parameter root: the directory behind `/files/` and `/feed.xml`.
  init(root: String?) {
    self.root = root.flatMap(Self.resolved)
  }

  func put(_ resource: Resource, at path: String) {
    state.withLock { $0.documents[path] = resource }
  }

  /// Removes a document; false if there was none.
  func remove(_ path: String) -> Bool {
    state.withLock { $0.documents.removeValue(forKey: path) != nil }
  }

  func set(_ traits: Traits, below path: String) {
    state.withLock { $0.traits[path, default: Traits()].merge(traits) }
  }

  /// Returns the resource at `target`; nil if there is none.
  ///
  /// - Parameter host: the `Host` of the request, for the absolute URLs of feeds.
  func resource(for target: Target, host: String) -> Resource? {
    let (document, traits) = state.withLock { state in
      (state.documents[target.path], Self.traits(of: target.path, in: state.traits))
    }
    let made = document ?? made(for: target, host: host, version: traits.version ?? 0)
    guard var resource = made else { return nil }
    traits.apply(to: &resource)
    return resource
  }

  private static func traits(of path: String, in all: [String: Traits]) -> Traits {
    var traits = Traits()
    for (prefix, said) in all.sorted(by: { $0.key.utf8.count < $1.key.utf8.count })
    where path.hasPrefix(prefix) {
      traits.merge(said)
    }
    return traits
  }

  private func made(for target: Target, host: String, version: UInt64) -> Resource? {
    let path = target.path
    if path == "/feed.xml" { return feed(host: host) }
    if path == "/synthetic.xml" { return syntheticFeed(target.query, host: host) }
    if path.hasPrefix("/pattern/") {
      return pattern(String(path.dropFirst(9)), target.query, version: version)
    }
    if path.hasPrefix("/files/") { return file(String(path.dropFirst(7))) }
    return nil
  }

  private func pattern(_ name: String, _ query: [String: String], version: UInt64) -> Resource? {
    guard let size = Int(query["size"] ?? "1048576"), size >= 0, size <= 1 << 50,
      let seed = UInt64(query["seed"] ?? "0"), !name.isEmpty
    else { return nil }
    return Resource(
      content: .pattern(seed: seed &+ version), length: size, type: MediaType.any(name),
      etag: "\"p\(seed)-\(version)-\(size)\"",
      lastModified: Self.epoch + Int(version % 300) * Self.day)
  }

  /// Opens a file below the root; after following symlinks, its path must still be below the root.
  private func file(_ name: String) -> Resource? {
    guard let root, let path = Self.resolved(root + "/" + name), path.hasPrefix(root + "/") else {
      return nil
    }
    let descriptor = open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    let file = OpenFile(descriptor: descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let time = status.st_mtim
    return Resource(
      content: .file(file), length: Int(status.st_size), type: MediaType.any(name),
      etag: "\"f\(time.tv_sec)-\(time.tv_nsec)-\(status.st_size)\"", lastModified: time.tv_sec)
  }

  private func feed(host: String) -> Resource? {
    guard let root else { return nil }
    let items = Self.names(in: root).compactMap { name -> RSS.Item? in
      guard let type = MediaType.media(name), let file = file(name) else { return nil }
      return RSS.Item(
        title: name, guid: name, published: file.lastModified ?? 0,
        url: "http://\(host)/files/\(percentEncoded(name))", length: file.length, type: type)
    }
    let rss = RSS(title: "Files", link: "http://\(host)/", items: items)
    return Resource(document: rss.document, type: "application/rss+xml")
  }

  private func syntheticFeed(_ query: [String: String], host: String) -> Resource? {
    guard let count = Int(query["entries"] ?? "100"), (0...1_000_000).contains(count),
      let size = Int(query["size"] ?? "65536"), size >= 0
    else { return nil }
    let items = (0..<count).map { index in
      RSS.Item(
        title: "Entry \(index + 1)", guid: "entry-\(index + 1)",
        published: Self.epoch - index * 60,
        url: "http://\(host)/pattern/e\(index + 1).mp4?size=\(size)&seed=\(index + 1)",
        length: size, type: "video/mp4")
    }
    let rss = RSS(title: "Synthetic", link: "http://\(host)/", items: items)
    return Resource(document: rss.document, type: "application/rss+xml")
  }

  private static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { name in
          String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.sorted()
  }

  private static func resolved(_ path: String) -> String? {
    guard !path.utf8.contains(0), let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension Resource {
  /// Creates a document whose tag is a hash of its content (FNV-1a).
  init(document: [UInt8], type: String, modified: Int? = nil) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in document { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    self.init(
      content: .bytes(document), length: document.count, type: type,
      etag: "\"d\(String(hash, radix: 16))\"", lastModified: modified)
  }
}
