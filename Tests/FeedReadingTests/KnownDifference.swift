/// A field whose value in a fixture's JSON differs from ours.
struct KnownDifference: Hashable {
  let file: String
  let field: String
  let expected: String

  init(_ file: String, _ field: String, _ expected: String) {
    (self.file, self.field, self.expected) = (file, field, expected)
  }

  /// All known differences, each with its reason.
  static let all: [KnownDifference: String] = [
    KnownDifference("entry_id_xml_base.xml", "id", "http://example.com/test/relative/link"):
      "an id is compared as it is written (RFC 4287 §4.2.6.1), it is not resolved",
    KnownDifference("rss_channel_item_guid_naked_markup.xml", "id", "<p>abc123</p>"):
      "an id is text: elements within a guid are not turned back into tags",
    KnownDifference(
      "feed_item_enclosure_-_rss_channel_item_enclosure.xml", "enclosure.type", "audio/jpeg"):
      "the document says image/jpeg, and so does the list of enclosures in the same JSON",
  ]
}
