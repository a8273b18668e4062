/// What one page of the feed has changed in the catalog.
package struct CatalogChange: Hashable, Sendable {
  /// Numbers that are listed now and were not before: new entries, and those that came back.
  package var added: [Int] = []
  /// Numbers that left the listing.
  package var removed: [Int] = []
  /// Numbers listed before and after, of which the feed says something new.
  package var changed: [Int] = []
  /// Why the page, or what it seemed to remove, was not believed; one sentence.
  package var ignoredBecause: String?

  package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
}
