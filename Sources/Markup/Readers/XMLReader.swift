import CXML

/// Reads XML with libxml2's push parser. As it is used here, libxml2 resolves, loads and fetches
/// nothing.
///
/// The reader installs no handler for entity declarations, DTD subsets and external entities. So
/// libxml2 knows no entity, and can expand, read or request none. The reader itself knows only
/// HTML's named entities. One reader reads one document on one thread.
package final class XMLReader {
  private let handler: any XMLHandler
  private let tree: XMLTree
  private var context: xmlParserCtxtPtr?
  private var entities = XMLEntities()
  /// Names in lower case, by their addresses. libxml2 keeps one copy of each name while it reads.
  @exclusivity(unchecked) private var names = XMLNameTable<UnsafePointer<xmlChar>, String>()
  @exclusivity(unchecked) private var elements = XMLNameTable<ElementKey, XMLName>()
  private var depth = 0
  private var isTooDeep = false
  private var isStopped = false

  private struct ElementKey: Hashable, XMLNameKey {
    let name: UnsafePointer<xmlChar>
    let prefix: UnsafePointer<xmlChar>?
    let uri: UnsafePointer<xmlChar>?

    var address: Int { Int(bitPattern: name) ^ Int(bitPattern: prefix) }
  }

  /// The reason why libxml2 cannot be loaded; nil if it is loaded. The first access loads libxml2,
  /// which takes some milliseconds, or longer if the library must be read from the disk. This
  /// property must be read before the first document.
  package static let trouble: String? = {
    if let reason = cxml_load() { return String(cString: reason) }
    cxml_init_parser()
    return nil
  }()

  private init(handler: any XMLHandler) {
    self.handler = handler
    tree = handler.tree
  }

  /// Reads `document`. It must be valid UTF-8, even if it declares another encoding.
  ///
  /// The reader is strict. With `recovering`, libxml2 continues after an error.
  package static func read(
    _ document: [UInt8], recovering: Bool = false, into handler: any XMLHandler
  ) -> XMLOutcome {
    XMLReader(handler: handler).read(document, recovering: recovering)
  }

  private func read(_ document: [UInt8], recovering: Bool) -> XMLOutcome {
    // This setting is per thread. Without it, libxml2 prints those errors that belong to no
    // context.
    cxml_set_structured_error(nil) { _, _ in }
    var sax = Self.callbacks()
    let reader = Unmanaged.passUnretained(self).toOpaque()
    guard let context = cxml_push_parser(&sax, reader) else { return .broken }
    defer { cxml_free(context) }
    self.context = context
    // Without NOENT "&amp;" in an attribute would arrive as "&#38;".
    var options = XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue
    options |= XML_PARSE_IGNORE_ENC.rawValue
    if recovering { options |= XML_PARSE_RECOVER.rawValue }
    cxml_use_options(context, Int32(options))

    feed(document, to: context, recovering: recovering)
    if isStopped { return .stopped }
    return isTooDeep || context.pointee.wellFormed == 0 ? .broken : .whole
  }

  private func feed(_ document: [UInt8], to context: xmlParserCtxtPtr, recovering: Bool) {
    document.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = Self.endOfPiece(bytes, from: start)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        cxml_parse(
          context, piece.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(piece.count), 0)
        start = end
        if isStopped || isTooDeep { return }
        if context.pointee.wellFormed == 0, !recovering { return }
      }
      cxml_parse(context, nil, 0, 1)
    }
  }

  /// Returns the end of the next piece, which is never inside a character.
  private static func endOfPiece(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = min(start + XMLLimit.piece, bytes.count)
    while end < bytes.count, end > start + 1, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }
}

// MARK: - Callbacks of libxml2

extension XMLReader {
  private static func callbacks() -> xmlSAXHandler {
    var sax = xmlSAXHandler()
    sax.initialized = cxml_sax2_magic()
    sax.serror = { _, _ in }
    sax.getEntity = { reader, name in
      XMLReader.with(reader) { $0.entity(named: name) } ?? nil
    }
    sax.startElementNs = { reader, name, prefix, uri, _, _, count, defaulted, attributes in
      guard let name else { return }
      // The default attributes that a DTD adds come last, and are ignored. A default of 64 KB in
      // each of a million elements would cost too much time.
      XMLReader.with(reader) {
        $0.start(
          name, prefix, uri,
          attributes: UnsafeBufferPointer(start: attributes, count: 5 * Int(count - defaulted)))
      }
    }
    sax.endElementNs = { reader, _, _, _ in XMLReader.with(reader) { $0.end() } }
    sax.characters = { reader, text, length in XMLReader.with(reader) { $0.text(text, length) } }
    sax.ignorableWhitespace = sax.characters
    sax.cdataBlock = sax.characters
    return sax
  }

  /// Calls `body` with the reader at `pointer`. The reader lives longer than its parser, so no
  /// reference needs to be counted at each call.
  private static func with<Result>(
    _ pointer: UnsafeMutableRawPointer?, _ body: (XMLReader) -> Result
  ) -> Result? {
    pointer.map { Unmanaged<XMLReader>.fromOpaque($0)._withUnsafeGuaranteedRef(body) }
  }

  private func start(
    _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ uri: UnsafePointer<xmlChar>?,
    attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
  ) {
    guard !isStopped, !isTooDeep else { return }
    depth += 1
    isTooDeep = depth > XMLLimit.depth
    if !isTooDeep {
      isStopped = !handler.start(element(name, prefix, uri)) { put(attributes) }
    }
    if isStopped || isTooDeep { cxml_stop(context) }
  }

  private func end() {
    guard !isStopped, !isTooDeep, depth > 0 else { return }
    depth -= 1
    handler.end()
  }

  private func text(_ text: UnsafePointer<xmlChar>?, _ length: Int32) {
    guard !isStopped, !isTooDeep, handler.wantsText else { return }
    tree.append(UnsafeBufferPointer(start: text, count: Int(length)))
  }

  private func entity(named name: UnsafePointer<xmlChar>?) -> xmlEntityPtr? {
    guard let name, let context else { return nil }
    let isAttribute = context.pointee.instate == XML_PARSER_ATTRIBUTE_VALUE
    return entities.entity(named: String(cString: name), inAttribute: isAttribute)
  }

  private func element(
    _ name: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?,
    _ uri: UnsafePointer<xmlChar>?
  ) -> XMLName {
    let key = ElementKey(name: name, prefix: prefix, uri: uri)
    return elements.value(of: key) { made(from: key) }
  }

  private func made(from key: ElementKey) -> XMLName {
    let space = Namespace(
      uri: key.uri.map { String(cString: $0) }, prefix: key.prefix.map { String(cString: $0) })
    return XMLName(space: space, local: string(key.name))
  }

  /// Puts the attributes into the tree. libxml2 gives five addresses for each attribute: name,
  /// prefix, namespace, value, and end of the value.
  private func put(_ attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>) {
    for at in stride(from: 0, to: attributes.count, by: 5) {
      guard let name = attributes[at], let value = attributes[at + 3],
        let end = attributes[at + 4], end - value <= XMLLimit.attribute
      else { continue }
      let bytes = UnsafeBufferPointer(start: value, count: end - value)
      guard let prefix = attributes[at + 1].map(string) else {
        tree.put(string(name), bytes, replaces: true)
        continue
      }
      let isXML = prefix == "xml"
      tree.put(isXML ? "xml:" + string(name) : string(name), bytes, replaces: isXML)
    }
  }

  /// Returns a name in lower case.
  private func string(_ name: UnsafePointer<xmlChar>) -> String {
    names.value(of: name) { String(cString: name).lowercased() }
  }
}

/// HTML's named entities, in the form that libxml2 expects.
private struct XMLEntities: ~Copyable {
  private struct Key: Hashable {
    let name: String
    let inAttribute: Bool
  }
  private var made: [Key: xmlEntityPtr] = [:]

  deinit {
    for entity in made.values {
      entity.pointee.content.deallocate()
      entity.deallocate()
    }
  }

  /// Returns an entity that lives as long as this value; nil for a name that HTML does not know.
  mutating func entity(named name: String, inAttribute: Bool) -> xmlEntityPtr? {
    let key = Key(name: name, inAttribute: inAttribute)
    if let known = made[key] { return known }
    guard let scalar = HTMLEntity.scalar(named: name) else { return nil }
    let text = Array(String(scalar).utf8) + [0]
    let content = UnsafeMutablePointer<xmlChar>.allocate(capacity: text.count)
    content.initialize(from: text, count: text.count)
    let entity = xmlEntityPtr.allocate(capacity: 1)
    entity.initialize(to: xmlEntity())
    entity.pointee.type = XML_ENTITY_DECL
    // In an attribute, libxml2 2.9 copies only the first byte of a predefined entity. So the entity
    // is a general one there.
    entity.pointee.etype =
      inAttribute ? XML_INTERNAL_GENERAL_ENTITY : XML_INTERNAL_PREDEFINED_ENTITY
    entity.pointee.content = content
    entity.pointee.length = Int32(text.count - 1)
    made[key] = entity
    return entity
  }
}
