package import Filling
package import HTTP

extension RangeRequest.Priority {
  package init(_ urgency: Urgency) {
    switch urgency {
    case .demand: self = .demand
    case .ahead: self = .ahead
    case .background: self = .background
    }
  }
}
