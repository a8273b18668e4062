import ArgumentParser
import CommandTools
import Control
import FeedMount
import Host

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find out why feeds cannot be mounted or played.",
    discussion:
      "Ends with 69 if something is wrong. Changes nothing; each line says what to do.")

  @Argument(help: "The feeds to check; by default those that you subscribe to.")
  var feeds: [String] = []

  @Option(help: "The directory of the cache; by default ~/.cache/feedfs.", completion: .directory)
  var cacheDir: String?

  @OptionGroup
  var network: NetworkArguments

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print without colours.")
  var plain = false

  func run() async throws {
    let findings = await Diagnosis(
      feeds: feeds, cacheDirectory: cacheDir, network: network
    ).findings()
    if json {
      let bytes = try? Wire.encode(DoctorReport(findings: findings), pretty: true)
      say(json: bytes ?? [])
    } else {
      TerminalFace.own(plain: plain).show(findings.map(Self.line), indent: 6)
    }
    if findings.contains(where: { $0.grade == .bad }) {
      throw ExitCode(CommandError.Code.unavailable.rawValue)
    }
  }

  /// Returns the line for a finding: "warn  cache: … - what to do".
  private static func line(_ finding: Finding) -> StyledLine {
    let style: StyledLine.Style =
      switch finding.grade {
      case .ok: .good
      case .warn: .moving
      case .bad: .bad
      }
    let mend = finding.mend.map { " - \($0)" } ?? ""
    return StyledLine([
      StyledLine.Span(finding.grade.rawValue, style),
      StyledLine.Span(String(repeating: " ", count: 6 - finding.grade.rawValue.count)),
      StyledLine.Span("\(finding.what): \(finding.finding)\(mend)"),
    ])
  }
}
