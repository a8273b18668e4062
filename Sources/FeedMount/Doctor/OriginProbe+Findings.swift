import Addresses
import Blocks
import HTTP

/// Turns the outcome of a probe into findings.
extension OriginProbe.Outcome {
  /// The shortest latency that a user notices at a seek.
  private static let slow: Duration = .milliseconds(800)

  /// Returns the findings for `origin`, which was asked for `url`.
  func findings(of origin: OriginName, at url: String) -> [Finding] {
    let what = origin.description
    guard let answer else { return [failure(what, url)] }
    let milliseconds = Int((latency / .milliseconds(1)).rounded())
    var findings: [Finding] = [
      latency < Self.slow
        ? .ok(what, "answers within \(milliseconds) ms")
        : .warn(
          what, "answers only after \(milliseconds) ms, which delays each seek",
          mend: "`feedfs mount --fill rest` or `--fill all` fetches more in advance")
    ]
    findings.append(
      answer.isWhole
        ? .warn(
          what,
          "has no ranges: it sends files only from their start, so a seek waits for all bytes before it",
          mend: "`feedfs mount --fill all` completes a file sooner")
        : .ok(what, "has ranges: it can send any part of a file"))
    switch answer.representation.validator {
    case .entityTag: findings.append(.ok(what, "shows by an ETag whether a file has changed"))
    case .lastModified: findings.append(.ok(what, "shows by a date whether a file has changed"))
    case .none:
      findings.append(
        .warn(
          what,
          "sends neither ETag nor date: only the length and the first block show that a file has changed",
          mend: "if a film looks mixed up, unmount, and clear it with `feedfs cache clear`"))
    }
    if let final = try? WebAddress(parsing: answer.finalURL), final.origin != origin {
      findings.append(.ok(what, "leads to \(final.origin)"))
    }
    return findings
  }

  private func failure(_ what: String, _ url: String) -> Finding {
    let place = WebAddress.shown(url)
    guard let end else {
      let why = obstacle.map { ": \($0)" } ?? ""
      return .bad(what, "does not answer\(why)", mend: "see whether `curl -I \(place)` does")
    }
    let finding = end.trouble ?? "\(end)"
    return switch end {
    case .blocked:
      .bad(
        what, "was not asked: \(finding)", mend: "docs/network.md says which addresses are asked")
    case .gone:
      .bad(
        what, "does not have \(place): \(finding)",
        mend: "check the address, or give a password (.netrc, headers in config.toml)")
    case .busy:
      .bad(what, "is busy: \(finding)", mend: "try again later")
    case .refused:
      .bad(
        what, "the answer for \(place) cannot be used: \(finding)",
        mend: "look at what `curl -r 0-0 -i \(place)` says; a hotel's network may want a login")
    case .unanswered(let silence) where silence.cause == .proxy:
      .bad(what, "was not asked: \(finding)", mend: "start the proxy, or try `--proxy none`")
    case .unanswered, .broken, .serverError:
      .bad(what, "cannot be read: \(finding)", mend: "see whether `curl -I \(place)` can")
    case .complete, .notModified, .changed, .doubted, .unsatisfiable, .cancelled:
      .bad(what, "the answer does not show whether the origin has ranges", mend: "try again")
    }
  }
}
