import Catalog
import FeedReading

extension CatalogEntry {
  /// The addresses of the entry that are streams, as far as that is known.
  var streamAddresses: Set<String> {
    // An address that was a stream's is one still after its type has gone from the feed.
    let isFilm = known?.isStream ?? false
    let marked = sources.filter(\.isStream).map(\.url)
    return Set(isFilm && !media.isPage ? marked + [source.url] : marked)
  }
}
