import Host
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

  @Test func allowOtherIsRefusedWithTheLineThatOpensIt() throws {
    var facts = ComputerFacts()
    let error = try #require(throws: CommandError.self) { try facts.checkOthers() }
    #expect(error.code == .permission)
    #expect(error.description.contains("user_allow_other in /etc/fuse.conf"))
    facts.mayLetOthersIn = true
    try facts.checkOthers()
    facts = ComputerFacts()
    facts.isRoot = true
    try facts.checkOthers()
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

  struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: CommandError.Code
    let sentence: String
    let make: @Sendable (inout ComputerFacts) -> Void
  }

  @Test(arguments: [
    Refusal(
      testDescription: "no device", code: .unavailable,
      sentence:
        "/dev/fuse does not exist; load the kernel's module with `modprobe fuse`, or give the"
        + " container the device"
    ) {
      $0.hasDevice = false
      $0.mayUseDevice = false
      $0.helper = nil
    },
    Refusal(
      testDescription: "a device of root's", code: .permission,
      sentence:
        "/dev/fuse denies you access; ask the administrator of this computer to give it mode 666"
    ) { $0.mayUseDevice = false },
    Refusal(
      testDescription: "few descriptors", code: .unavailable,
      sentence: "a process may have 31 files open here, and a mount needs 32; raise the limit with"
        + " `ulimit -n`"
    ) { $0.descriptors = 31 },
    Refusal(
      testDescription: "no helper", code: .unavailable,
      sentence: "fusermount3 is not installed; on Debian and Ubuntu: `apt install fuse3`"
    ) { $0.helper = nil },
  ])
  func aMountIsRefusedForWhatTheDoctorFinds(refusal: Refusal) {
    var facts = ComputerFacts()
    facts.helper = "/usr/bin/fusermount3"
    #expect(throws: Never.self) { try facts.check() }
    refusal.make(&facts)

    #expect(throws: CommandError(refusal.code, refusal.sentence)) { try facts.check() }
  }

  @Test func rootNeedsNoPrivilegedHelper() {
    let findings = facts {
      $0.isRoot = true
      $0.helperIsPrivileged = false
    }

    #expect(findings.allSatisfy { $0.grade == .ok })
  }
}
