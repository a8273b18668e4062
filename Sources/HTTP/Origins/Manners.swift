import Addresses

/// Remembers the manners of servers, as their answers have shown them.
///
/// A value that only decides, without side effects. The size of answers and the failure at If-Range
/// are remembered for each origin, and all other facts for each URL. The numbers of origins and of
/// URLs are bounded. A forgotten manner is learned again.
struct Manners {
  private struct Size {
    var shortAnswers = 0
    var most = Manner.minBytes
    var isStingy = false
    var failsAtIfRange = false
  }

  private struct Place {
    var hasNoRanges = false
    var provedType: String?
    var isOddlyPacked = false
  }

  private var sizes: [OriginName: Size] = [:]
  private var places: [String: Place] = [:]

  /// Returns the known manner of `origin` and of `url`, from which redirects can lead to `origin`.
  func manner(of origin: OriginName, at url: String) -> Manner {
    var manner = Manner()
    if let size = sizes[origin] {
      if size.shortAnswers >= Self.enough { manner.maxBytes = size.most }
      manner.isStingy = size.isStingy
      manner.failsAtIfRange = size.failsAtIfRange
    }
    if let place = places[url] {
      manner.hasNoRanges = place.hasNoRanges
      manner.provedType = place.provedType
      manner.isOddlyPacked = place.isOddlyPacked
    }
    return manner
  }

  /// Notes a peculiarity that an answer of `origin` for `url` has shown.
  mutating func learn(_ lesson: Manner.Lesson, of origin: OriginName, at url: String) {
    switch lesson {
    case .short(let bytes):
      change(origin) { size in
        size.shortAnswers += 1
        size.most = max(size.most, bytes)
      }
    case .stingy: change(origin) { $0.isStingy = true }
    case .generous: sizes[origin]?.isStingy = false
    case .failsAtIfRange: change(origin) { $0.failsAtIfRange = true }
    case .hasNoRanges: change(url) { $0.hasNoRanges = true }
    case .proved(let type): change(url) { $0.provedType = type }
    case .isOddlyPacked: change(url) { $0.isOddlyPacked = true }
    }
  }

  private mutating func change(_ origin: OriginName, _ body: (inout Size) -> Void) {
    if sizes[origin] == nil, sizes.count >= Self.maxOrigins, let any = sizes.keys.first {
      sizes[any] = nil
    }
    body(&sizes[origin, default: Size()])
  }

  private mutating func change(_ url: String, _ body: (inout Place) -> Void) {
    if places[url] == nil, places.count >= Self.maxPlaces, let any = places.keys.first {
      places[any] = nil
    }
    body(&places[url, default: Place()])
  }

  /// After this number of short answers, a request asks for at most as many bytes as the longest of
  /// these answers brought.
  static let enough = 2
  private static let maxOrigins = 256
  private static let maxPlaces = 1024
}
