/// Why a snapshot is not taken for a catalog.
package enum CatalogError: Error, Hashable, CustomStringConvertible {
  /// Use the snapshot before this one.
  case damaged(String)
  /// Written by a later feedfs: leave it as it is.
  case newerFormat(Int)

  package var description: String {
    switch self {
    case .damaged(let what):
      "the catalog snapshot is damaged (\(what)): use the one before it, or delete it"
    case .newerFormat(let format):
      "the catalog snapshot has format \(format), of a newer feedfs: use that one, or delete it"
    }
  }
}
