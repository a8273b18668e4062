/// One checked thing, with its condition and a remedy.
package struct Finding: Hashable, Codable, Sendable {
  package enum Grade: String, Hashable, Codable, Sendable {
    case ok
    /// The thing works, but not as well as it could.
    case warn
    /// The thing does not work.
    case bad
  }

  package var grade: Grade
  /// The name of the checked thing.
  package var what: String
  /// The condition of the thing.
  package var finding: String
  /// A remedy; null if the thing needs none.
  package var mend: String?

  package static func ok(_ what: String, _ finding: String) -> Finding {
    Finding(grade: .ok, what: what, finding: finding)
  }

  package static func warn(_ what: String, _ finding: String, mend: String) -> Finding {
    Finding(grade: .warn, what: what, finding: finding, mend: mend)
  }

  package static func bad(_ what: String, _ finding: String, mend: String) -> Finding {
    Finding(grade: .bad, what: what, finding: finding, mend: mend)
  }
}
