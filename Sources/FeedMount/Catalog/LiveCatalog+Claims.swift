import Catalog

/// Notes the sizes that the kernel might have been told, and the sizes that are proved.
extension LiveCatalog.State {
  /// Notes that the version with `inode` is growing. Removes its measured length from the catalog,
  /// and notes that the kernel might have been told that length.
  mutating func grows(_ inode: UInt64) {
    sizes.claimed(0, of: inode)
    guard let entry = catalog.current.entry(inode: inode), let known = entry.known,
      known.isMeasured
    else { return }
    sizes.claimed(known.length, of: inode)
    catalog.edit { $0.forgetMeasure(of: entry.number) }
  }

  /// Returns the length of a version that was growing when its open began, if the length is proved
  /// by now; otherwise nil.
  ///
  /// Another open might have brought that length to the kernel already, and `sizes` has then
  /// forgotten the file. If this open now told the kernel the smaller size of a growing file, the
  /// kernel would keep the smaller size.
  func provedMeanwhile(_ inode: UInt64) -> Int? {
    guard let known = catalog.current.entry(inode: inode)?.known, !known.isMeasured else {
      return sizes.provedMeanwhile(inode)
    }
    return known.length
  }

  /// Returns the next step for an open of a growing version, whose length is not proved.
  mutating func opensGrowing(
    _ inode: UInt64, at size: Int, by opener: KernelSizes.Opener
  ) -> KernelSizes.Step {
    grows(inode)
    let claim = catalog.current.entry(inode: inode)?.likelyLength ?? typicalLengths.current
    return sizes.opensGrowing(inode, at: size, claim: claim, by: opener)
  }

  /// Writes facts about the current version of `entry` into the catalog. The facts come from an
  /// answer or from the cache.
  mutating func know(_ body: KnownBody, of entry: CatalogEntry) {
    if let known = entry.known {
      // The kernel was told the measured length, which was wrong.
      if known.isMeasured, known.length != body.length {
        sizes.proved(body.length, of: entry.inode, claim: known.length)
      }
    } else {
      noteTold(entry.likelyLength, of: entry.inode)
      sizes.proved(
        body.length, of: entry.inode, claim: entry.likelyLength ?? typicalLengths.current)
    }
    catalog.edit { $0.know(body, of: entry.number) }
  }

  /// Notes the lengths that the entries probably had before a page changed them. Entries whose
  /// length is proved are skipped.
  mutating func note(_ claims: [FormerClaim]) {
    for claim in claims where !catalog.current.isKnown(claim.number) {
      noteTold(claim.length, of: claim.inode)
    }
  }

  /// Notes that the kernel might have been told this length of a file whose length is not proved.
  /// Nil stands for all lengths in `typicalLengths`.
  mutating func noteTold(_ length: Int?, of inode: UInt64) {
    if let length { return sizes.claimed(length, of: inode) }
    sizes.claimed(typicalLengths.told.lowerBound, of: inode)
    sizes.claimed(typicalLengths.told.upperBound, of: inode)
  }
}
