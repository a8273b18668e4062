import Catalog

/// The lengths that the kernel is told for files of unknown length.
struct TypicalLengths: Sendable {
  /// The length that the kernel is told now, in bytes.
  private(set) var current: Int
  /// From the smallest to the greatest length that the kernel was told so far.
  private(set) var told: ClosedRange<Int>

  init(_ length: Int) {
    current = length
    told = length...length
  }

  mutating func become(_ length: Int) {
    current = length
    told = min(told.lowerBound, length)...max(told.upperBound, length)
  }
}

/// The length that the kernel might have been told of an entry before a page changed the entry.
struct FormerClaim: Sendable {
  let number: Int
  let inode: UInt64
  /// Bytes; nil if the length was not known.
  let length: Int?

  /// Returns the former claims of the entries that a page has changed, without entries whose length
  /// is proved.
  static func all(
    _ before: Catalog, _ after: Catalog, _ change: CatalogChange
  ) -> [FormerClaim] {
    change.changed.compactMap { number in
      guard !after.isKnown(number), let old = before.entry(number: number),
        let new = after.entry(number: number),
        old.known != nil || old.likelyLength != new.likelyLength
      else { return nil }
      return FormerClaim(
        number: number, inode: new.inode, length: old.known?.length ?? old.likelyLength)
    }
  }
}
