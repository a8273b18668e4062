import Glibc
import TestSupport

/// An unprivileged user with a usable /dev/fuse.
///
/// A copy with mode 666 covers the machine's device, in a mount namespace that lives as long as
/// this object. Only processes in that namespace see what the user mounts.
final class OrdinaryUser: Sendable {
  private static let number = "65534"

  /// The built program, at a place where the user can run it.
  let feedfs: String
  private let folder: String
  private let keeper: ChildProcess

  /// The reason why there can be no such user; nil if there can.
  static let obstacle: String? = {
    guard geteuid() == 0 else { return "another user can only be had by root" }
    let missing = ["unshare", "nsenter", "setpriv"].filter { !isInstalled($0) }
    guard missing.isEmpty else { return "\(missing) are not installed" }
    var status = stat()
    let paths = ["/usr/bin/fusermount3", "/bin/fusermount3"]
    guard paths.contains(where: { stat($0, &status) == 0 && status.st_mode & S_ISUID != 0 }) else {
      return "fusermount3 is not setuid root"
    }
    return nil
  }()

  init() throws {
    folder = try makeTemporaryFolder("user")
    chmod(folder, 0o755)
    feedfs = folder + "/feedfs"
    let copied = try ChildProcess.run(["cp", try BuiltBinary.path("feedfs"), feedfs])
    guard copied.status == 0 else { throw TestToolError("no copy of feedfs: \(copied.err)") }
    // The temporary directory may allow no devices; a new tmpfs does.
    let script = """
      mkdir \(folder)/dev; mount -t tmpfs -o mode=755 none \(folder)/dev
      mknod -m 666 \(folder)/dev/fuse c 10 229; mount --bind \(folder)/dev/fuse /dev/fuse
      echo; exec cat
      """
    keeper = try ChildProcess(["unshare", "-m", "sh", "-ec", script], keepsInputOpen: true)
    guard keeper.output.wait(timeout: .seconds(20), until: { $0 == "\n" }) else {
      throw TestToolError("no namespace: \(keeper.errors.text)")
    }
  }

  deinit {
    keeper.killGroup()
    _ = keeper.wait(timeout: .seconds(10))
    _ = try? ChildProcess.run(["rm", "-rf", "--one-file-system", folder])
  }

  /// `command`, run by this user; the process keeps its ID.
  func run(_ command: [String]) -> [String] {
    inside(
      ["setpriv", "--reuid", Self.number, "--regid", Self.number, "--clear-groups"] + command)
  }

  /// `command`, run by another user without privilege.
  func runByAnother(_ command: [String]) -> [String] {
    inside(["setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups"] + command)
  }

  /// Covers the machine's /etc/fuse.conf, which must be there, for what runs in this namespace.
  func configureFUSE(_ text: String) throws {
    let script = "printf %s \"$1\" >$0/fuse.conf; mount --bind $0/fuse.conf /etc/fuse.conf"
    let outcome = try ChildProcess.run(inside(["sh", "-ec", script, folder, text]))
    guard outcome.status == 0 else { throw TestToolError("no fuse.conf: \(outcome.err)") }
  }

  private func inside(_ command: [String]) -> [String] {
    ["nsenter", "--mount=/proc/\(keeper.pid)/ns/mnt"] + command
  }

  /// Makes this user the owner of `paths`.
  func own(_ paths: [String]) throws {
    for path in paths where chown(path, 65534, 65534) != 0 {
      throw TestToolError("\(path) cannot be given away")
    }
  }
}
