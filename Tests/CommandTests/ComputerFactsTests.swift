import Testing

@testable import FeedMount

struct ComputerFactsTests {
  private func facts(_ change: (inout ComputerFacts) -> Void) -> [Finding] {
    var facts = ComputerFacts()
    facts.kernel = "6.18.0-generic"
    facts.helper = "/usr/bin/fusermount3"
    change(&facts)
    return facts.findings
  }

  @Test func aComputerThatHasAllIsWell() {
    #expect(facts { _ in }.allSatisfy { $0.grade == .ok && $0.mend == nil })
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let grade: Finding.Grade
    let mend: String
    let make: @Sendable (inout ComputerFacts) -> Void
  }

  @Test(arguments: [
    Fault(testDescription: "no device", grade: .bad, mend: "modprobe fuse") {
      $0.hasDevice = false
    },
    Fault(testDescription: "a device of root's", grade: .bad, mend: "mode 666") {
      $0.mayUseDevice = false
    },
    Fault(testDescription: "no helper", grade: .bad, mend: "apt install fuse3") { $0.helper = nil },
    Fault(testDescription: "a helper without privilege", grade: .bad, mend: "chmod u+s") {
      $0.helperIsPrivileged = false
    },
    Fault(testDescription: "an old kernel", grade: .warn, mend: "5.4") { $0.kernel = "4.19.1" },
    Fault(testDescription: "an odd kernel", grade: .warn, mend: "uname") { $0.kernel = "?" },
  ])
  func whatIsMissingIsToldWithItsMend(fault: Fault) {
    let wrong = facts(fault.make).filter { $0.grade != .ok }

    #expect(wrong.count == 1 && wrong[0].grade == fault.grade)
    #expect(wrong[0].mend?.contains(fault.mend) == true)
  }

  @Test func rootNeedsNoPrivilegedHelper() {
    let findings = facts {
      $0.isRoot = true
      $0.helperIsPrivileged = false
    }

    #expect(findings.allSatisfy { $0.grade == .ok })
  }
}
