import Blocks
import Catalog
import HTTP

/// Converts an origin's facts about a version into the catalog's, and back.
extension KnownBody {
  /// The time for which an answer counts as fresh, if the answer does not state that time.
  private static let usualFreshness: Duration = .seconds(600)

  init(_ answer: AcceptedAnswer, at now: Int) {
    self.init(answer.representation, type: answer.contentType, freshFor: answer.freshFor, at: now)
  }

  init(_ representation: Representation, type: String?, freshFor: Duration?, at now: Int) {
    var tag: String?
    var date: String?
    switch representation.validator {
    case .entityTag(let text): tag = text
    case .lastModified(let text): date = text
    case .none: break
    }
    let freshness = (freshFor ?? Self.usualFreshness).components.seconds
    self.init(
      length: representation.length, entityTag: tag, lastModified: date, contentType: type,
      checkedAt: now, freshFor: Int(freshness))
  }

  var representation: Representation {
    let validator: Validator =
      if let entityTag {
        .entityTag(entityTag)
      } else if let lastModified {
        .lastModified(lastModified)
      } else {
        .none
      }
    return Representation(length: length, validator: validator)
  }
}
