import CLinux
import FoundationEssentials
import Glibc
import Host
import Storage
import SystemPackage

/// The facts about this computer that matter for a mount.
package struct ComputerFacts: Hashable, Sendable {
  /// The release of the kernel, as in uname(2): "6.18.0-generic".
  var kernel = ""
  var hasDevice = true
  var mayUseDevice = true
  /// The path of fusermount3; nil if it is not installed.
  var helper: String?
  /// True if the helper is allowed to mount for users other than root.
  var helperIsPrivileged = true
  var isRoot = false
  /// True if ordinary users are allowed to use `--allow-other`.
  var mayLetOthersIn = false
  /// The number of files that a process is allowed to have open.
  var descriptors = DescriptorLimit.minDescriptors

  /// The facts of this computer.
  package static var own: ComputerFacts {
    var facts = ComputerFacts()
    facts.kernel = text(of: "/proc/sys/kernel/osrelease").trimmed
    facts.hasDevice = access("/dev/fuse", F_OK) == 0
    facts.mayUseDevice = access("/dev/fuse", R_OK | W_OK) == 0
    facts.helper = Program.find("fusermount3")
    facts.isRoot = geteuid() == 0
    var status = stat()
    if let helper = facts.helper, stat(helper, &status) == 0 {
      facts.helperIsPrivileged = status.st_mode & S_ISUID != 0 && status.st_uid == 0
    }
    facts.mayLetOthersIn = text(of: "/etc/fuse.conf").split(separator: "\n")
      .contains { String($0).trimmed == "user_allow_other" }
    facts.descriptors = DescriptorLimit.current.count
    return facts
  }

  /// Throws if something is missing that a mount needs. The error names the first missing thing.
  func check() throws(CommandError) {
    if deviceFinding.grade == .bad {
      throw CommandError(hasDevice ? .permission : .unavailable, deviceFinding.sentence)
    }
    guard descriptors >= DescriptorLimit.minDescriptors else {
      throw CommandError(
        .unavailable,
        "a process may have \(descriptors) files open here, and a mount needs \(DescriptorLimit.minDescriptors); raise the limit with `ulimit -n`"
      )
    }
    // A helper without privilege is no error here, because the kernel can still allow the mount. If
    // it does not allow it, the mount itself fails.
    if helper == nil { throw CommandError(.unavailable, helperFinding.sentence) }
  }

  /// Throws if this user is not allowed to let other users into a mount.
  func checkOthers() throws(CommandError) {
    guard isRoot || mayLetOthersIn else {
      throw CommandError(
        .permission,
        "you may not use --allow-other; root allows it with the line user_allow_other in /etc/fuse.conf"
      )
    }
  }

  package var findings: [Finding] {
    [kernelFinding, deviceFinding, helperFinding, othersFinding]
  }

  // MARK: Private

  private var kernelFinding: Finding {
    let numbers = kernel.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    guard numbers.count == 2 else {
      return .warn("kernel", "the version \"\(kernel)\" cannot be read", mend: "see `uname -r`")
    }
    let version = (numbers[0], numbers[1])
    if version < (5, 4) {
      return .warn(
        "kernel", "Linux \(kernel) is older than any kernel that feedfs was tested with",
        mend: "use Linux 5.4 or later")
    }
    let canPass = version >= (6, 9)
    let words =
      switch (canPass, isRoot) {
      case (true, true): "lets programs read complete files without the daemon"
      case (true, false): "lets programs read complete files without the daemon, if root mounts"
      case (false, _): "reads all files through the daemon (from 6.9 on, not complete ones)"
      }
    return .ok("kernel", "Linux \(kernel), \(words)")
  }

  private var deviceFinding: Finding {
    if !hasDevice {
      return .bad(
        "/dev/fuse", "does not exist",
        mend: "load the kernel's module with `modprobe fuse`, or give the container the device")
    }
    if !mayUseDevice {
      return .bad(
        "/dev/fuse", "denies you access",
        mend: "ask the administrator of this computer to give it mode 666")
    }
    return .ok("/dev/fuse", "may be used")
  }

  private var helperFinding: Finding {
    guard let helper else {
      return .bad(
        "fusermount3", "is not installed", mend: "on Debian and Ubuntu: `apt install fuse3`")
    }
    guard isRoot || helperIsPrivileged else {
      return .bad(
        "fusermount3", "\(helper) may not mount for you: it is not setuid root",
        mend: "`chmod u+s \(helper)` as root, or reinstall it")
    }
    return .ok("fusermount3", helper)
  }

  private var othersFinding: Finding {
    let isOpen = isRoot || mayLetOthersIn
    return .ok(
      "permissions",
      "you are \(isRoot ? "root" : "not root"); --allow-other "
        + (isOpen ? "is allowed" : "needs `user_allow_other` in /etc/fuse.conf"))
  }

  private static func text(of path: String) -> String {
    let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    let bytes = try? file?.closeAfter { try file?.readAll(atMost: 64 << 10) }
    return String(decoding: bytes ?? [], as: UTF8.self)
  }
}

extension Finding {
  /// The condition of the thing and its remedy, as one sentence.
  fileprivate var sentence: String {
    "\(what) \(finding)" + (mend.map { "; \($0)" } ?? "")
  }
}

extension String {
  fileprivate var trimmed: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
