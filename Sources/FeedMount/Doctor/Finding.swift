/// What was looked at, how it is, and what would mend it.
package struct Finding: Hashable, Codable, Sendable {
  package enum Grade: String, Hashable, Codable, Sendable {
    case ok
    /// It works, but not as well as it could.
    case warn
    /// It does not work.
    case bad
  }

  package var grade: Grade
  /// What was looked at.
  package var what: String
  /// How it is.
  package var finding: String
  /// What to do about it; null: nothing is to be done.
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
