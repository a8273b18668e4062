import CXML

/// The entities that HTML names, in the form in which libxml2 wants to be told of one.
struct XMLEntities: ~Copyable {
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

  /// Lives as long as this value; nil for a name that HTML does not know.
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
    // Of a predefined entity in an attribute libxml2 2.9 copies the first byte alone.
    entity.pointee.etype =
      inAttribute ? XML_INTERNAL_GENERAL_ENTITY : XML_INTERNAL_PREDEFINED_ENTITY
    entity.pointee.content = content
    entity.pointee.length = Int32(text.count - 1)
    made[key] = entity
    return entity
  }
}

extension XMLReader {
  /// What HTML 4 means by `&name;`.
  static func htmlEntity(named name: String) -> Unicode.Scalar? {
    htmlEntityLookup(name).flatMap { Unicode.Scalar($0.pointee.value) }
  }
}
