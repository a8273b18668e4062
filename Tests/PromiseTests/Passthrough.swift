import Glibc

/// Passthrough support of this machine.
enum Passthrough {
  /// The reason why passthrough cannot work here; nil if it must work.
  static let obstacle: String? = {
    guard geteuid() == 0 else { return "passthrough is root's alone" }
    // To the kernel, the root of a container with its own user namespace is not root.
    let users = contents(of: "/proc/self/uid_map").split(separator: " ").joined(separator: " ")
    guard users.hasPrefix("0 0 4294967295") else { return "this root is not the machine's" }
    var name = utsname()
    uname(&name)
    let release = withUnsafeBytes(of: name.release) { String(decoding: $0, as: UTF8.self) }
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    guard numbers.count == 2, (numbers[0], numbers[1]) >= (6, 9) else {
      return "the kernel is older than 6.9"
    }
    return nil
  }()
}
