extension Catalog {
  /// Returns the sidecars of an entry, each with its place. A sidecar whose name is taken is left
  /// out.
  ///
  /// Films whose names differ in the extension alone would have the same sidecars. Only the film
  /// with the lowest number has these sidecars.
  package func sidecars(
    of entry: CatalogEntry, kinds: Set<Sidecar.Kind>
  ) -> [(place: Int, sidecar: Sidecar)] {
    let all = Sidecar.placed(Sidecar.all(of: entry, kinds: kinds))
    // Names that begin with different numbers cannot be the same.
    guard names != .number else { return all }
    return all.filter { !isTaken($0.sidecar.name, besides: entry, kinds) }
  }

  private func isTaken(
    _ name: String, besides entry: CatalogEntry, _ kinds: Set<Sidecar.Kind>
  ) -> Bool {
    if OwnNames.isReserved(name) { return true }
    let name = name.lowercased()
    return entries(beside: name).prefix { $0.number != entry.number }.contains { other in
      Sidecar.all(of: other, kinds: kinds).contains { $0.name.lowercased() == name }
    }
  }
}
