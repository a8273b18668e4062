/// The reason why a rule cannot be used. Messages write it behind the rule: `skip "/(/" is no …`.
package struct RuleError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ reason: String) {
    description = reason
  }
}
