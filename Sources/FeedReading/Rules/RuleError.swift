/// The reason why a rule cannot be used. It follows the rule in a sentence: "skip "/(/" is no …".
package struct RuleError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ reason: String) {
    description = reason
  }
}
