package import FeedMount

/// The output of `feedfs doctor --json`.
package struct DoctorReport: Codable {
  var schema = 1
  var findings: [Finding]

  package init(findings: [Finding]) {
    self.findings = findings
  }
}
